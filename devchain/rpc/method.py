"""`@rpc` marks a function as a JSON-RPC method; `Method` is what the catalog makes of it."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from devchain.node import Node
from devchain.rpc.codec import decoder_for
from devchain.rpc.decoders import Decoder
from devchain.rpc.errors import InvalidParams
from devchain.types import Tag

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Mark:
    """What `@rpc` says of a function: every name it is called by, the first its own.

    `hosted` methods are offered by the hosted service; `hosted_pending` is false where it
    refuses the `pending` tag. `lasting` ones need a connection that lasts: they get its
    subscriptions where the others get the node.
    """

    names: tuple[str, ...]
    hosted: bool = False
    hosted_pending: bool = True
    lasting: bool = False


def rpc(
    *names: str, hosted: bool = False, hosted_pending: bool = True, lasting: bool = False
) -> Callable[[Function], Function]:
    """Mark a function as the JSON-RPC method of that name; more names are aliases of the first."""

    def mark(function: Function) -> Function:
        made = Mark(names, hosted, hosted_pending, lasting)
        function.__rpc__ = made  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Parameter:
    """One positional parameter: its name, type and decoder."""

    name: str
    hint: Any
    decode: Decoder = field(repr=False)
    default: Any = inspect.Parameter.empty

    @property
    def is_optional(self) -> bool:
        """Whether a caller may leave it out."""
        return self.default is not inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Method:
    """A JSON-RPC method: how it is called and what it says of itself.

    `names` are all it answers to; `name` is one of them, an alias unless it is the first.
    """

    name: str
    names: tuple[str, ...]
    chapter: str
    function: Callable[..., Any] = field(repr=False)
    parameters: tuple[Parameter, ...]
    required: int
    returns: Any
    hosted: bool
    hosted_pending: bool
    lasting: bool

    @classmethod
    def of(cls, function: Callable[..., Any], chapter: str) -> Method:
        """The method a marked function is; a hint nobody can decode is a `TypeError`."""
        mark: Mark = function.__rpc__  # type: ignore[attr-defined]
        hints = typing.get_type_hints(function)
        listed = list(inspect.signature(function).parameters.values())[1:]
        parameters = tuple(
            Parameter(each.name, hints[each.name], decoder_for(hints[each.name]), each.default)
            for each in listed
        )
        return cls(
            name=mark.names[0],
            names=mark.names,
            chapter=chapter,
            function=function,
            parameters=parameters,
            required=sum(not each.is_optional for each in parameters),
            returns=hints["return"],
            hosted=mark.hosted,
            hosted_pending=mark.hosted_pending,
            lasting=mark.lasting,
        )

    @property
    def is_alias(self) -> bool:
        """Whether the method is known better by another name."""
        return self.name != self.names[0]

    def under_every_name(self) -> list[Method]:
        """The method and its aliases."""
        return [replace(self, name=name) for name in self.names]

    @property
    def documentation(self) -> str:
        """Its whole docstring."""
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first sentence of its docstring."""
        return self.documentation.split("\n\n", maxsplit=1)[0].replace("\n", " ")

    @property
    def signature(self) -> str:
        """Its parameters as a person writes them: `address, block?`."""
        return ", ".join(each.name + "?" * each.is_optional for each in self.parameters)

    def decode(self, params: Sequence[object], node: Node) -> list[Any]:
        """The Python values of positional JSON parameters; raises `InvalidParams`."""
        given = _without_trailing_nulls(params) if None in params else params
        if not self.required <= len(given) <= len(self.parameters):
            takes = f"({self.signature})" if self.parameters else "no arguments"
            msg = f"{self.name} takes {takes}: got {_count(len(given))}"
            raise InvalidParams(msg)
        return [
            _decode_one(parameter, value, node)
            for parameter, value in zip(self.parameters, given, strict=False)
        ]

    def refuses_pending(self, arguments: Sequence[object]) -> bool:
        """Whether the hosted service would not take these arguments for their `pending`."""
        return not self.hosted_pending and Tag.PENDING in arguments


def _decode_one(parameter: Parameter, value: object, node: Node) -> Any:
    if value is None and parameter.is_optional:
        return parameter.default
    try:
        return parameter.decode(value, node)
    except InvalidParams as error:
        msg = f"argument {parameter.name}: {error}"
        raise InvalidParams(msg) from error


def _without_trailing_nulls(params: Sequence[object]) -> Sequence[object]:
    end = len(params)
    while end and params[end - 1] is None:
        end -= 1
    return params[:end]


def _count(number: int) -> str:
    return f"{number} argument" + "s" * (number != 1)
