"""A model is opened while another process replaces it again and again."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import numpy as np

import adagram
from torture.children import GOOD, run
from torture.deadline import Deadline
from torture.report import Report
from torture.samples import model


def loads_while_saving(folder: Path, report: Report, n: int, deadline: Deadline) -> None:
    """Each time it must be the one or the other of two models of the same size."""
    target = folder / "replaced"
    model(0).save(target)
    done = folder / "loads"
    done.write_bytes(b"")

    def replace() -> None:
        for turn in range(1, 1_000_000):
            model(turn % 2).save(target, overwrite=True)

    def load() -> None:
        with open(done, "ab", buffering=0) as tally:
            for _ in range(n):
                if deadline.is_over():
                    return
                found = adagram.load(target)
                turn = int(found.vocabulary.words[0][0] == "b")
                assert np.array_equal(found.arrays["vectors"], model(turn).arrays["vectors"]), "mixed"
                tally.write(b".")

    writer = os.fork()
    if writer == 0:
        try:
            replace()
        finally:
            os._exit(1)
    end = run(load)
    is_writing = os.waitpid(writer, os.WNOHANG) == (0, 0)
    if is_writing:
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
    report.add("loads while saving", done.stat().st_size)
    if end.code != GOOD or end.signal or not is_writing:
        report.fault("losses", "loads while saving", f"{end}, writer alive: {is_writing}")
    shutil.rmtree(target)
    for left in folder.glob(".replaced.*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
