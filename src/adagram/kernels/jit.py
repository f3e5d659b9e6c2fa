"""Where compiled kernels are kept: one folder for all versions of the package whose kernels are the same."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

KEPT = 8  # folders of other kernels, of which the oldest goes


@cache
def sources() -> str:
    """What compiled code was made of: all kernels, since one is compiled into another."""
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def code_folder() -> Path:
    """In the user's cache folder, or in the one that NUMBA_CACHE_DIR names."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    caches = (
        Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "adagram"
    )
    return caches / "kernels" / sources()[:16]


@cache
def is_writable(folder: Path) -> bool:
    """Whether it is there, or could be made, and takes a file."""
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            _forget_oldest(folder.parent)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _forget_oldest(home: Path) -> None:
    with suppress(OSError):
        folders = sorted(home.iterdir(), key=lambda folder: folder.stat().st_mtime)
        for folder in folders[: -1 - KEPT]:
            shutil.rmtree(folder, ignore_errors=True)


def is_compiled(module: str, function: str) -> bool:
    """Whether code of this function is kept; asked without loading the compiler."""
    try:
        return any(code_folder().glob(f"{module}.{function}-*.nbi"))
    except (OSError, RuntimeError):  # no such folder, or no home
        return False


_listeners: list[Callable[[], None]] = []


@contextmanager
def when_compiling(listener: Callable[[], None]) -> Iterator[None]:
    """Meanwhile `listener` is called once, if something has to be compiled."""
    _listeners.append(listener)
    try:
        yield
    finally:
        if listener in _listeners:
            _listeners.remove(listener)


def tell_compiling() -> None:
    while _listeners:
        _listeners.pop()()


# Sums may be reordered and contracted; NaN and infinity keep their meaning, so that divergence can be seen.
_FASTMATH = {"reassoc", "contract", "nsz", "arcp"}


LOG = logging.getLogger("adagram")


class Locator:
    """Tells numba where to keep the code of a function, and by what to know that it is out of date."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._line = file, function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> Locator | None:
        return cls(function, file) if is_writable(code_folder()) else None

    def get_cache_path(self) -> str:
        return str(code_folder())

    def get_source_stamp(self) -> str:
        return sources()

    def get_disambiguator(self) -> str:
        return str(self._line)

    def ensure_cache_path(self) -> None:
        code_folder().mkdir(parents=True, exist_ok=True)


class Located(CompileResultCacheImpl):
    _locator_classes = (Locator,)


class Cache(FunctionCache):
    """Compiled code on disk; where it is damaged or cannot be written, kernels are compiled again, and it is said."""

    _impl_class = Located
    is_said = False

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = None
        try:
            found = super().load_overload(sig, target_context)
        except Exception as error:  # whatever comes of unpickling damaged bytes
            self._say("is damaged and is compiled again", error)
            with suppress(OSError):
                self.flush()
        if found is None:
            tell_compiling()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:  # a full disk, or an index that was damaged meanwhile
            self._say("cannot be kept for the next run", error)

    def _say(self, what: str, error: Exception) -> None:
        if not Cache.is_said:
            Cache.is_said = True
            LOG.warning("adagram: compiled code in %s %s (%s)", self.cache_path, what, type(error).__name__)


class Unkept(NullCache):
    """Where nothing can be kept."""

    def load_overload(self, sig: Any, target_context: Any) -> None:
        tell_compiling()


class PartLibrary(JITCodeLibrary):
    """Code that only kernels call: left as it is until it is compiled with its caller, instead of once more alone."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        return self

    def set_env(self, name: str, environment: Any) -> None:
        pass


class PartCompiler(Compiler):
    """numba's compiler, for a `PartLibrary`."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        super().__init__(typing, target, library or PartLibrary(target.codegen(), "part"), *rest)


def jit(function: Callable[..., Any]) -> Any:
    """Compile without the GIL, cached on disk; where no cache folder can be written, compile each time."""
    return _compiled(function)


def kernel(function: Callable[..., Any]) -> Any:
    """As `jit`, for functions that allocate nothing: compiled into their caller, and no references are counted."""
    return _compiled(function, forceinline=True, _nrt=False)


def part(function: Callable[..., Any]) -> Any:
    """As `kernel`, where only kernels call it."""
    return _with_caller(function, forceinline=True)


def helper(function: Callable[..., Any]) -> Any:
    """As `part`, but LLVM decides whether it is compiled into its caller."""
    return _with_caller(function)


def _with_caller(function: Callable[..., Any], **options: bool) -> Any:
    return _njit(function, pipeline_class=PartCompiler, no_cpython_wrapper=True, _nrt=False, **options)


def _compiled(function: Callable[..., Any], **options: bool) -> Any:
    compiled = _njit(function, **options)
    try:
        compiled._cache = Cache(function)
    except RuntimeError:  # no folder that can be written, or no home
        compiled._cache = Unkept()
    return compiled


def _njit(function: Callable[..., Any], **options: Any) -> Any:
    options |= {"nogil": True, "fastmath": _FASTMATH, "error_model": "numpy", "no_cfunc_wrapper": True}
    return numba.njit(**options)(function)
