"""The examples of docs/python.md, as they are shown."""

import doctest
import pathlib

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"


def test_examples_print_what_is_shown():
    failed, tried = doctest.testfile(
        str(PAGE), module_relative=False, optionflags=doctest.ELLIPSIS
    )
    assert failed == 0 and tried > 15
