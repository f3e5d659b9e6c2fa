"""Try an installed wheel: run by `make wheel`, with the interpreter of an environment that has nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import adagram
import user_program

COMMAND = Path(sys.executable).with_name("adagram")


def run(*arguments: str, seconds: float = 120) -> str:
    """Run the installed command and return what it prints."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, done.stderr
    return done.stdout


def main() -> None:
    home = Path(adagram.__file__).parent
    assert Path(sys.prefix) in home.parents, f"adagram is imported from {home}, not from the wheel"
    assert (home / "py.typed").is_file()
    assert run("--version") == f"adagram {version('adagram')}\n"
    assert "disambiguate" in run("--help")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        user_program.main(folder)
        text = folder / "text.txt"
        text.write_text("".join(" ".join(line) + "\n" for line in user_program.sentences()))
        run("train", str(text), "--output", str(folder / "m"), "--min-count", "1", "--epochs", "2", "--dim", "8")
        assert "bank#0" in run("senses", str(folder / "m"), "bank")
        assert run("demo", seconds=3600).strip()
    print("the wheel works: its command, a user's program, a training and the demo")


if __name__ == "__main__":
    main()
