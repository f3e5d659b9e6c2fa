"""Compiling ahead: where no kernels are kept yet, a second process compiles them while the text is read."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from adagram.config import TrainConfig
from adagram.encoded import EncodedCorpus
from adagram.kernels.home import code_folder, is_compiled, is_writable, tell_compiling
from adagram.processes import isolated
from adagram.vocabulary import Vocabulary

Wait = Callable[[], None]


@contextmanager
def compiled_ahead(config: TrainConfig) -> Iterator[Wait]:
    """Yields what waits until the kernels can be loaded; if the process failed, this one compiles them itself."""
    process = _start(config)
    if process is None:
        yield lambda: None
        return

    tell_compiling()

    def wait() -> None:
        if process.stdout:
            process.stdout.readline()

    with process:
        try:
            yield wait
        finally:
            process.kill()


def _start(config: TrainConfig) -> subprocess.Popen[bytes] | None:
    """The process, where it is of use."""
    try:
        if is_compiled(config.algorithm.replace("-", "_"), "train_span") or not is_writable(code_folder()):
            return None
        if not sys.executable or os.cpu_count() == 1:
            return None
        return subprocess.Popen(
            isolated(__name__, "compile_asked", json.dumps(config.to_dict())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, RuntimeError):  # no home, no more processes
        return None


def compile_kernels(config: TrainConfig) -> None:
    """Train on next to nothing with these options; a line is printed when the kernels of training are there."""
    from adagram.training.checkpoint import Saving
    from adagram.training.run import train_encoded

    tokens, ends = np.arange(64, dtype="<u4") % 4, np.array([64], dtype="<u8")
    tokens.flags.writeable = ends.flags.writeable = False  # as a mapped file is: that is part of the type
    vocabulary = Vocabulary(["a", "b", "c", "d"], np.full(4, 16))
    corpus = EncodedCorpus(tokens, ends, vocabulary, "none")
    small = replace(config, dim=8, epochs=1)
    train_encoded(corpus, small, Saving(), lambda progress: print(flush=True))


def compile_asked() -> None:
    """Run in the second process: compile the kernels of the options in its argument."""
    gc.disable()  # it would look through all that the compiler makes, again and again
    with suppress(KeyboardInterrupt):
        compile_kernels(TrainConfig(**json.loads(sys.argv[1])))
