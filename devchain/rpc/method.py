"""`@rpc` marks a function as a JSON-RPC method; `Method` is made from a marked function."""

from __future__ import annotations

import functools
import inspect
import sys
import typing
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from types import CodeType, NoneType
from typing import Any, TypeVar

from devchain.errors import InvalidParams, NullParameter, WrongParameterCount
from devchain.rpc.scalar_decoders import DecodeContext, Decoder, present_members
from devchain.rpc.wire_types import wire_type
from devchain.types import BeforeTransaction, BlockHash, Tag

Function = TypeVar("Function", bound=Callable[..., Any])

EMPTY_DATA = "0x"  # as the recipient of a call it means that there is none


def rpc(*names: str, **options: bool | str) -> Callable[[Function], Function]:
    """Mark a function as a JSON-RPC method; the names after the first are aliases.

    The options are the fields of `Method` from `by_hash` to `slow`.
    """

    def mark(function: Function) -> Function:
        function.__rpc__ = {"names": names, **options}  # type: ignore[attr-defined]
        return function

    return mark


@dataclass(frozen=True, slots=True)
class Parameter:
    """One positional parameter: its name, type hint and decoder."""

    name: str
    hint: Any
    decode: Decoder = field(repr=False)
    default: Any = inspect.Parameter.empty

    @property
    def is_optional(self) -> bool:
        return self.default is not inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Method:
    """A JSON-RPC method: its function, its parameters and result, and the options of `@rpc`.

    `names` are all its names; `name` is one of them, an alias unless it is the first. `by_hash` is
    the name of a second method, which takes a block's hash in place of the block, the first
    parameter. `hosted` methods are available with `--hosted`; without `hosted_pending` they then
    refuse the `pending` tag. The first parameter of a method that `subscribes` is the
    `Subscriptions` of a persistent connection instead of the node. A `slow` method may take longer
    than a slice (10 ms): quick requests of other clients are answered first. `in_slices` is true
    of one that returns a generator, which yields where others may be served
    (`devchain.chain.slices`); what it does before it returns that is done or undone as a whole.
    """

    name: str
    names: tuple[str, ...]
    function: Callable[..., Any] = field(repr=False)
    parameters: tuple[Parameter, ...]
    required: int
    chapter: str = ""
    returns: Any = Any
    by_hash: str = ""
    hosted: bool = False
    hosted_pending: bool = True
    subscribes: bool = False
    slow: bool = False
    in_slices: bool = False

    @classmethod
    def from_function(cls, function: Callable[..., Any], chapter: str) -> Method:
        """The method of a marked function; a type hint without wire type is a `TypeError`."""
        options = function.__rpc__  # type: ignore[attr-defined]
        hints = _hints(function)
        in_slices = typing.get_origin(hints["return"]) is Generator
        returns: Any = typing.get_args(hints["return"])[-1] if in_slices else hints["return"]
        returns = NoneType if returns is None else returns  # its type, as in a union
        wire_type(returns)
        parameters = tuple(
            Parameter(name, hints[name], _decoder(hints[name]), default)
            for name, default in _defaults(function)[1:]
        )
        required = sum(not parameter.is_optional for parameter in parameters)
        return cls(
            options["names"][0],
            function=function,
            parameters=parameters,
            required=required,
            chapter=chapter,
            returns=returns,
            in_slices=in_slices,
            **options,
        )

    def variants(self) -> Iterator[Method]:
        """The method under each of its names, and the one that takes a block by its hash."""
        for name in self.names:
            yield replace(self, name=name)
        if self.by_hash:
            block_hash = Parameter("block_hash", BlockHash, _decoder(BlockHash))
            yield replace(
                self,
                name=self.by_hash,
                names=(self.by_hash,),
                parameters=(block_hash, *self.parameters[1:]),
                hosted_pending=True,
            )

    @property
    def is_alias(self) -> bool:
        return self.name != self.names[0]

    @property
    def documentation(self) -> str:
        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        return self.documentation.split("\n\n", maxsplit=1)[0].replace("\n", " ")

    @property
    def signature(self) -> str:
        """The parameters as in `address, block?`; a question mark means optional."""
        return ", ".join(
            parameter.name + "?" * (index >= self.required)
            for index, parameter in enumerate(self.parameters)
        )

    def with_parameters(
        self, least: int, greatest: int | None, *, are_nullable: bool = False
    ) -> Method:
        """The method with another number of parameters; None for the greatest keeps all.

        The first `least` of them have no default, unless null is to mean it.
        """
        required = 0 if are_nullable else least
        parameters = tuple(
            replace(parameter, default=inspect.Parameter.empty) if index < required else parameter
            for index, parameter in enumerate(self.parameters[:greatest])
        )
        return replace(self, required=least, parameters=parameters)

    def with_required_members(self, names: Sequence[str]) -> Method:
        """The method with members that its first parameter, an object, must have."""
        first, *others = self.parameters

        def decode(value: object, context: DecodeContext) -> Any:
            present = present_members(value)
            for name in names:
                if present.get(name, EMPTY_DATA) == EMPTY_DATA:
                    raise InvalidParams(f"{name} is required", name=name)
            return first.decode(value, context)

        return replace(self, parameters=(replace(first, decode=decode), *others))

    def decode(self, params: Sequence[object], context: DecodeContext) -> list[Any]:
        """The values of positional JSON parameters, null for defaults; raises `InvalidParams`."""
        values = params
        if None in params and context.preset.trailing_nulls_are_absent:
            end = len(params)
            while end and params[end - 1] is None:
                end -= 1
            values = params[:end]
        if not self.required <= len(values) <= len(self.parameters):
            expected = f"({self.signature})" if self.parameters else "no arguments"
            count = f"{len(values)} argument" + "s" * (len(values) != 1)
            raise WrongParameterCount(f"{self.name} takes {expected}: got {count}")
        arguments: list[Any] = []
        if not values:
            return arguments
        for parameter, value in zip(self.parameters, values):  # noqa: B905  # costs for each call
            if value is None and parameter.is_optional:
                arguments.append(parameter.default)
                continue
            try:
                arguments.append(parameter.decode(value, context))
            except InvalidParams as error:
                name = f"argument {parameter.name}"
                if value is None:
                    raise NullParameter(f"{name}: {error}", value) from error
                raise error.within(parameter.name, name) from error
        return arguments

    def refuses_pending(self, arguments: Sequence[object]) -> bool:
        """Whether the hosted service refuses these arguments because of a `pending` tag."""
        blocks = (
            argument.block if type(argument) is BeforeTransaction else argument
            for argument in arguments
        )
        return not self.hosted_pending and Tag.PENDING in blocks


# `inspect` and `typing` have such functions, but take five times as long: too long for a start.


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    namespace = vars(sys.modules[function.__module__])
    return {
        name: eval(_compiled(hint), namespace) if isinstance(hint, str) else hint  # noqa: S307
        for name, hint in function.__annotations__.items()
    }


@functools.cache
def _compiled(hint: str) -> CodeType:
    return compile(hint, "<type hint>", "eval")


def _defaults(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    # The parameters of a function with their defaults, in order.
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    without = [inspect.Parameter.empty] * (len(names) - len(defaults))
    return list(zip(names, (*without, *defaults), strict=True))


def _decoder(hint: Any) -> Decoder:
    decode = wire_type(hint).decode
    if decode is None:
        raise TypeError(f"no decoder for parameters of type {hint!r}")
    return decode
