from __future__ import annotations

import numba

from adagram.kernels.jit import jit


def test_without_a_writable_cache_kernels_still_compile(monkeypatch):
    """numba refuses to decorate with cache=True when it finds no folder to write to."""
    original = numba.njit

    def without_cache(*arguments, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return original(*arguments, **options)

    monkeypatch.setattr(numba, "njit", without_cache)

    def double(x):
        return 2 * x

    assert jit(double)(21) == 42
