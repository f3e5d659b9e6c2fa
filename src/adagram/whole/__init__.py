"""Atomic writes of files and folders, checksums, locks, and reading of files that may be damaged.

A result is written into a temporary folder beside its target, open to the owner alone, brought to the disk and then
renamed, so that a name never leads to half a result. Nothing that exists is replaced unless `overwrite` says so, and a
folder only if it is of the same kind and has no files but ours.
"""

from adagram.whole.kinds import CHECKPOINT, CORPUS, MODEL, PROJECTOR, Kind, foreign_files, kind_of
from adagram.whole.lock import locked, remove_dead_locks, take_lock
from adagram.whole.reading import Between, check_shape, open_file, parse_json, read_file, read_json
from adagram.whole.sums import SUMS, check_sums, read_sums
from adagram.whole.temporary import (
    is_temporary,
    remove_all_dead,
    remove_dead,
    remove_folder,
    temporary_folder,
)
from adagram.whole.writing import check_new_file, check_new_folder, exchange, new_file, new_folder, write_text

__all__ = [
    "CHECKPOINT",
    "CORPUS",
    "MODEL",
    "PROJECTOR",
    "SUMS",
    "Between",
    "Kind",
    "check_new_file",
    "check_new_folder",
    "check_shape",
    "check_sums",
    "exchange",
    "foreign_files",
    "is_temporary",
    "kind_of",
    "locked",
    "new_file",
    "new_folder",
    "open_file",
    "parse_json",
    "read_file",
    "read_json",
    "read_sums",
    "remove_all_dead",
    "remove_dead",
    "remove_dead_locks",
    "remove_folder",
    "take_lock",
    "temporary_folder",
    "write_text",
]
