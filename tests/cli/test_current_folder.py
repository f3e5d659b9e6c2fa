"""Files of the current folder are data: none is ever run as a module, by a verb or by a process that it starts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import adagram
from tests_support import planted

LIBRARIES = ("numpy", "numba", "llvmlite", "rich", "typer", "click", "adagram", "simplemma", "sitecustomize")
# As the installed command does, each verb in turn; a script's path begins with the script's folder.
SCRIPT = """
import sys
sys.path.append({source!r})
from adagram.cli import main
for command in sys.stdin.read().splitlines():
    try:
        main(command.split())
    except SystemExit as stop:
        if stop.code:
            sys.exit(f"{{command}}: {{stop.code}}")
"""
COMMANDS = """\
encode dump.xml -o encoded --min-count 1 --threads 2
wwsi dump.xml --output wwsi.tsv --threads 2 --min-count 6 --min-contexts 2 --window 2
train text.txt -o model --dim 8 --min-count 1 --epochs 1 --threads 2 --seed 3
train text.txt -o more --continue model --threads 2
info model
words model
senses model planted
neighbours model planted#0
disambiguate model planted --context topic0x1
likelihood model text.txt
tag model text.txt --output tagged.txt --threads 2
describe model dated.jsonl --threads 2
examples model planted --corpus text.txt
collocates model planted#0 --corpus text.txt
concordance model planted --corpus text.txt
trends more dated.jsonl --by year --min-count 1 --threads 2
change more dated.jsonl --by year --between 2000 2001..2004 --min-count 1 --threads 2
label model planted#0 first
undo model
export model -f word2vec -o vectors.txt
import vectors.txt -o imported --format word2vec
diff model more
check model
"""


@pytest.mark.slow  # it compiles anew
def test_no_verb_runs_a_file_of_the_current_folder(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    for name in (*sys.stdlib_module_names, *LIBRARIES):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'RUN')!r}, 'a').write('{name} ')\n")
    corpus = planted(n_topics=2, n_sentences=300)
    words = [corpus.vocabulary.words[i] for i in corpus.tokens.tolist()]
    lines = [" ".join(words[i : i + 10]) for i in range(0, len(words), 10)]
    (folder / "text.txt").write_text("\n".join(lines))
    (folder / "dated.jsonl").write_text(
        "\n".join(f'{{"text": "{line}", "year": {2000 + i % 5}}}' for i, line in enumerate(lines))
    )
    (folder / "dump.xml").write_text(
        (Path(__file__).parent.parent / "experiments/wwsi/small.xml").read_text(encoding="utf-8"), encoding="utf-8"
    )
    script = elsewhere / "script.py"
    script.write_text(SCRIPT.format(source=str(Path(adagram.__file__).parent.parent)))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [sys.executable, str(script)],
        input=COMMANDS,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert not (tmp_path / "RUN").exists(), (tmp_path / "RUN").read_text()
    assert done.returncode == 0, done.stderr
