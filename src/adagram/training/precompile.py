"""Compile the kernels of training in a second process while the text is read."""

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
from adagram.corpus.encoded import EncodedCorpus
from adagram.corpus.parallel import isolated
from adagram.corpus.vocabulary import Vocabulary
from adagram.kernels.jit import cache_folder, is_compiled, is_writable, report_compiling

Wait = Callable[[], None]


@contextmanager
def precompiled(config: TrainConfig) -> Iterator[Wait]:
    """Yield a function that blocks until the kernels are cached; if that failed, this process compiles them."""
    process = None
    if not is_compiled("train_span"):
        report_compiling()
        process = _start(config)
    if process is None:
        yield lambda: None
        return

    def wait() -> None:
        if process.stdout:
            process.stdout.readline()

    with process:
        try:
            yield wait
        finally:
            process.kill()


def _start(config: TrainConfig) -> subprocess.Popen[bytes] | None:
    """Start the process, unless it would not help."""
    if not is_writable(cache_folder()) or not sys.executable or os.cpu_count() == 1:
        return None
    try:
        return subprocess.Popen(
            isolated(__name__, "main", json.dumps(config.to_dict())),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:  # the limit of processes is reached
        return None


def compile_kernels(config: TrainConfig) -> None:
    """Train on a tiny text with these options; print a line when the kernels of training are cached."""
    from adagram.training.checkpoint import Saving
    from adagram.training.run import train_encoded

    tokens, ends = np.arange(64, dtype="<u4") % 4, np.array([64], dtype="<u8")
    tokens.flags.writeable = ends.flags.writeable = False  # as a mapped file: that is part of the type
    vocabulary = Vocabulary(["a", "b", "c", "d"], np.full(4, 16))
    corpus = EncodedCorpus(tokens, ends, vocabulary, "none")
    small = replace(config, dim=8, epochs=1)
    train_encoded(corpus, small, Saving(), lambda progress: print(flush=True))


def main() -> None:
    """Compile the kernels of the options in the first argument."""
    gc.disable()  # the compiler allocates many objects and frees few
    with suppress(KeyboardInterrupt):
        compile_kernels(TrainConfig(**json.loads(sys.argv[1])))
