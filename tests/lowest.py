"""Print the lowest versions that pyproject.toml allows, as constraints for pip (make test-lowest)."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def constraints(project: dict[str, Any]) -> list[str]:
    """Return `name==version` for each requirement `name>=version`, with those of all extras.

    >>> constraints({"dependencies": ["numpy>=1.26", "tomli>=2; python_version < '3.11'"]})
    ['numpy==1.26', 'tomli==2']
    """
    extras = project.get("optional-dependencies", {}).values()
    required = {text for texts in (project["dependencies"], *extras) for text in texts}
    found = [re.match(r"([\w.-]+)[>=]=([\w.]+)", text) for text in sorted(required)]
    return [f"{match[1]}=={match[2]}" for match in found if match]


if __name__ == "__main__":
    file = Path(__file__).resolve().parents[1] / "pyproject.toml"
    print("\n".join(constraints(tomllib.loads(file.read_text(encoding="utf-8"))["project"])))
