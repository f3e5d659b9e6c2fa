"""`adagram check`, `clean`: verify a folder, remove what killed runs left."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from adagram.cli.options import JsonOption, ReportJson
from adagram.cli.output import print_table, report
from adagram.errors import InputError

Folder = Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False)]


def check(folder: Folder, json: JsonOption = False) -> None:
    """Verify a model (packed or not), an encoded corpus or a checkpoint: one line for each test.

    Example: adagram check model/
    """
    from adagram.check import examine
    from adagram.files.hub import folder_of

    findings = examine(folder_of(folder)[0])
    print_table(["test", "result"], [(finding.test, finding.damage or "good") for finding in findings], json)
    if any(finding.damage for finding in findings):
        raise InputError(f"{folder} is damaged; write it again, or fetch another copy")


def clean(folder: Folder, json: ReportJson = False) -> None:
    """Remove what killed runs left in a folder; results and other files are not touched.

    Example: adagram clean models/

    That is: temporary folders and locks of runs that have ended, and checkpoints and encoded corpora of runs that
    have saved their model. A checkpoint that can be resumed stays.
    """
    from adagram.check import clean as remove_left

    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; give the one that runs wrote their results to")
    removed = remove_left(folder)
    for path in removed if not json else []:
        print(path)
    told = f"{folder}: removed {len(removed)} things that killed runs left"
    report(json, told, folder=folder, removed=list(map(str, removed)))
