"""The faults that `make mutations` plants can still be planted."""

from __future__ import annotations

import pytest

from mutations import FAULTS, HOME, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_text_of_a_fault_is_there_once(fault: Fault) -> None:
    text = (HOME / "src" / "adagram" / fault.file).read_text(encoding="utf-8")
    assert text.count(fault.right) == 1
    assert fault.wrong != fault.right


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_tests_that_are_to_catch_it_are_there(fault: Fault) -> None:
    assert fault.tests
    assert all((HOME / "tests" / name).is_file() for name in fault.tests)
