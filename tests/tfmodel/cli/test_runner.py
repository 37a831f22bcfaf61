"""`tfmodel.cli.runner`: how errors and signals end a command."""

from __future__ import annotations

import pytest

from pbwire import Error
from pbwire.arguments import FAILED
from tfmodel.cli.runner import report_failure, run_quietly


def interrupted_in_a_class():
    """Interrupt a program while Python makes a class: older versions raise a RuntimeError then."""

    class Attribute:
        def __set_name__(self, owner, name):
            raise KeyboardInterrupt

    class Owner:
        attribute = Attribute()


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_control_c_in_the_body_of_a_class_is_control_c(error, capsys):
    try:
        if error is RuntimeError:  # as Python 3.11 does for the other
            raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
        interrupted_in_a_class()
    except (KeyboardInterrupt, RuntimeError) as caught:
        assert report_failure("check", caught) == 130
    assert capsys.readouterr() == ("", "")


def test_a_bug_is_raised_again():
    with pytest.raises(ZeroDivisionError):
        run_quietly(lambda: 1 // 0)


def test_an_error_that_is_its_own_cause(capsys):
    error = Error("no model")
    error.__cause__ = error
    assert report_failure("check", error) == FAILED
    assert capsys.readouterr().err == "check: no model\n"
