"""Tables on a terminal: columns by width, nothing torn, --wide for all."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from adagram.analysis.trends import sparkline
from adagram.cli import main
from adagram.cli.output import print_table

COLUMNS = ["word", "sense", "label", "slope", "p", "q", "first", "last", "count", "sources", "carried_by", "series"]
FIRST = ["sense", "label", "slope", "q", "series", "last"]
SERIES = sparkline([0.1, 0.2, 0.4] * 10)
ROWS = [
    ("mozambique", f"mozambique#{k}", "liberation, colonial, portuguese", -0.0123 / (k + 1), 1.2e-13, 3.4e-9, 0.31,
     0.02, 812.0, 31, "angola, tanzania, zambia", SERIES)
    for k in range(3)
]  # fmt: skip


def call(*arguments: object) -> None:
    with pytest.raises(SystemExit) as stop:
        main([str(each) for each in arguments])
    assert not stop.value.code


def printed(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    out, err = capsys.readouterr()
    return re.sub(r"\x1b\[[0-9;]*m", "", out), err


def be_terminal(monkeypatch: pytest.MonkeyPatch, width: int = 80) -> None:
    for name, value in (("COLUMNS", str(width)), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)


def test_columns_are_chosen_by_width_and_none_is_torn(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_terminal(monkeypatch)
    print_table(COLUMNS, ROWS, as_json=False, wide=False, first=FIRST)
    out, err = printed(capsys)
    assert max(map(len, out.splitlines())) <= 80
    assert out.split("\n")[0].split() == ["sense", "label", "slope", "q", "last", "series"]
    for k, row in enumerate(ROWS):
        line = next(line for line in out.splitlines() if line.startswith(row[1]))
        assert f"{row[3]:+.4f}" in line
        assert "3.4e-09" in line  # not 0.000
        assert SERIES in line
        assert k < 3
    assert "…" not in out
    assert err == ("not shown for want of room: word, p, first, count, sources, carried_by; --wide shows all columns\n")


def test_wide_shows_all_columns_each_row_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    be_terminal(monkeypatch)
    print_table(COLUMNS, ROWS, as_json=False, wide=True, first=FIRST)
    out, err = printed(capsys)
    head, *lines = out.splitlines()
    assert head.split() == COLUMNS
    assert len(lines) == 3
    assert all("liberation, colonial, portuguese" in line and "1.2e-13" in line for line in lines)
    assert err == ""


def test_every_width_has_the_first_column_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for width in (30, 45, 60, 100, 140, 200):
        be_terminal(monkeypatch, width)
        print_table(COLUMNS, ROWS, as_json=False, wide=False, first=FIRST)
        out, _ = printed(capsys)
        assert "mozambique#2" in out
        assert max(map(len, out.splitlines())) <= width


def test_senses_after_describe_have_several_words_on_a_line(
    planted_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from adagram.api import load

    model = tmp_path / "model"
    load(planted_folder).save(model)
    text = tmp_path / "text.txt"
    words = [" ".join(f"topic{t}x{i}" for i in range(1, 6)) for t in (0, 1)]
    text.write_text("".join(f"{words[i % 2]} planted {words[i % 2]}\n" for i in range(200)))
    call("describe", model, text)
    capsys.readouterr()
    be_terminal(monkeypatch)
    call("senses", model, "planted")
    out, err = printed(capsys)
    assert max(map(len, out.splitlines())) <= 80
    assert len(out.splitlines()) <= 12  # of two senses with ten neighbours each
    assert "--wide shows all columns" in err
    call("senses", model, "planted", "--wide")
    assert printed(capsys)[0].split("\n")[0].split()[-2:] == ["collocates", "example"]


def test_sparklines_begin_at_zero() -> None:
    assert sparkline([0.70, 0.72, 0.71]) == "███"  # not a fall to the ground
    assert sparkline([0.0, 0.5, 1.0])[0] == "▁"


def test_a_pipe_gets_every_column(planted_folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adagram", "words", str(planted_folder), "--ambiguous"],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert done.stdout.splitlines()[0].split("\t") == [
        "word", "score", "second_prior", "distance", "coherence", "agreement", "senses",
    ]  # fmt: skip
