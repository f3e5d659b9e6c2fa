"""Files and folders that appear whole or not at all: the one place where results get their names.

What is being written stands in a new folder beside its target, under a name that nobody can guess, open to the owner
alone. It is brought to the disk before it gets its name, so that a name never leads to half a result. Nothing that
exists is replaced unless `overwrite` says so, and a folder only if it is of the same kind and has no files but ours.
"""

from adagram.whole.kinds import CHECKPOINT, CORPUS, MODEL, PROJECTOR, Kind, foreign_files, kind_of
from adagram.whole.lock import locked
from adagram.whole.rename import exchange
from adagram.whole.sums import SUMS, check_sums, read_sums
from adagram.whole.temporary import is_temporary, remove_all_dead, remove_dead, remove_folder
from adagram.whole.writing import check_new_file, check_new_folder, new_file, new_folder, write_text

__all__ = [
    "CHECKPOINT",
    "CORPUS",
    "MODEL",
    "PROJECTOR",
    "SUMS",
    "Kind",
    "check_new_file",
    "check_new_folder",
    "check_sums",
    "exchange",
    "foreign_files",
    "is_temporary",
    "kind_of",
    "locked",
    "new_file",
    "new_folder",
    "read_sums",
    "remove_all_dead",
    "remove_dead",
    "remove_folder",
    "write_text",
]
