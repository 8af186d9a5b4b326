"""Options and arguments whose plain values are converted without pydantic.

Typer builds a pydantic schema for each parameter of a command, given or not, which takes longer
than all else that a command does before it runs. What is not given, text, whole and decimal numbers
and what our own parsers read need none. Other types go to Typer, and so do values that are refused:
its messages stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import typer
from typer.core import TyperArgument, TyperOption

if TYPE_CHECKING:
    from typer._click import Context, Parameter
    from typer._coercion import RuntimeParam

BOOLEANS = {
    **dict.fromkeys(("1", "true", "t", "yes", "y", "on"), True),
    **dict.fromkeys(("0", "false", "f", "no", "n", "off"), False),
}
"""What variables of switches may be; their options have no value."""

NUMBERS = {int: re.compile(r"-?[0-9]+"), float: re.compile(r"-?[0-9]+(\.[0-9]+)?")}
"""What every reader of numbers takes for one, by type."""


class PlainConversion:
    """Converts a parameter's plain values itself, others by Typer's conversion."""

    def __init__(self, parameter: Option | Argument, others: Callable[[], RuntimeParam]) -> None:
        """Convert for that parameter; `others` makes Typer's conversion."""
        self._type = parameter.type_descriptor.annotation
        self._info = parameter.type_descriptor.parameter_info
        self._is_text_list = self._type == list[str] and self._info.parser is None
        self._is_single = parameter.nargs == 1 and not parameter.multiple
        self._others = others

    def coerce(self, value: object, param: Option | Argument, ctx: Context) -> object:
        """The value in the parameter's type; raises Typer's errors."""
        if value is None:
            return None if self._is_single else ()
        if self._is_single:
            if self._type is bool and isinstance(value, str):
                return _switch(value, param, ctx)
            plain = self._convert(value)
            if plain is not None:
                return plain
        elif self._is_text_list and isinstance(value, (list, tuple)):
            return list(value)
        return self._others().coerce(value, param=param, ctx=ctx)

    def _convert(self, value: object) -> object:
        if self._info.parser is not None:
            with suppress(ValueError):  # for which Typer has a message
                return self._info.parser(cast(str, value))
            return None
        if self._type is str and isinstance(value, str):
            return value
        if self._type not in NUMBERS:
            return None
        if isinstance(value, str) and NUMBERS[self._type].fullmatch(value):
            value = self._type(value)
        if type(value) is not self._type or not isinstance(value, (int, float)):
            return None
        low, high = self._info.min, self._info.max
        is_inside = (low is None or value >= low) and (high is None or value <= high)
        return value if is_inside else None


class WrongVariable(typer.BadParameter):
    """An environment variable has a wrong value; the message names it."""


def _switch(value: str, param: Option | Argument, ctx: Context) -> bool:
    found = BOOLEANS.get(value.strip().lower())
    if found is None:
        raise WrongVariable(f"{param.envvar}: {value!r} is neither true nor false", ctx=ctx)
    return found


class Option(TyperOption):
    """An option with plain conversion."""

    def get_runtime_param(self) -> RuntimeParam:
        """What converts a value."""
        return cast("RuntimeParam", PlainConversion(self, super().get_runtime_param))


class Argument(TyperArgument):
    """An argument with plain conversion."""

    def get_runtime_param(self) -> RuntimeParam:
        """What converts a value."""
        return cast("RuntimeParam", PlainConversion(self, super().get_runtime_param))


def convert_plainly(parameters: Iterable[Parameter]) -> None:
    """Give parameters that Typer has made the classes above: it has no setting for theirs."""
    for each in parameters:
        if type(each) is TyperOption:
            each.__class__ = Option
        elif type(each) is TyperArgument:
            each.__class__ = Argument
