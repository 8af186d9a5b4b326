"""Decoded values: those of a struct by position and by name, and what is too large to decode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, Self

from devchain.text import printable


class Named(Protocol):
    """A parameter, or a member of a struct."""

    @property
    def name(self) -> str:
        """Its name; empty if it has none."""


class Values(tuple[Any, ...]):  # noqa: SLOT001  # no tuple can have slots
    """The values of a struct, or those that a function returns, by position and by name.

    It is a tuple, equal to a plain one: `info[0]`, `info["who"]` and `info.who` are the same value.
    A member whose name an attribute of tuples has (`count`, `index`), or that is no identifier of
    Python, is `info["count"]` only.
    """

    def __new__(cls, values: Iterable[Any], params: Sequence[Named]) -> Self:
        made = super().__new__(cls, values)
        # Names are looked up when one is used: most values are read by position.
        made.__dict__["_Values__params"] = params
        return made

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self), self.__params

    def __getitem__(self, key: Any) -> Any:
        """A value by name or position, or a slice; raises `KeyError` for an unknown name."""
        __tracebackhide__ = True
        if not isinstance(key, str):
            return super().__getitem__(key)
        for position, param in enumerate(self.__params):
            if param.name == key and key:
                return super().__getitem__(position)
        names = ", ".join(self.__names) or "none"
        raise KeyError(f"no value is named {key}; the names are {names}")

    def __getattr__(self, name: str) -> Any:
        """A value by name; raises `AttributeError` for an unknown one."""
        __tracebackhide__ = True
        if name.startswith("__"):  # asked for by copy, pickle and inspection
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: values do not change, like those of any tuple."""
        raise AttributeError(f"{name} cannot be set: values that a contract returned do not change")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.__names})

    def __repr__(self) -> str:
        pairs = zip(self.__params, self, strict=True)
        parts = [f"{param.name}={value!r}" if param.name else repr(value) for param, value in pairs]
        is_single = len(parts) == 1 and "=" not in parts[0]
        return printable(f"({', '.join(parts)}{',' if is_single else ''})")

    @property
    def __names(self) -> list[str]:
        return [param.name for param in self.__params if param.name]

    def _asdict(self) -> dict[str, Any]:
        return by_name(self.__params, self)


class Undecoded(bytes):
    """Encoded values that are too large to decode: it stands for each of them."""

    __slots__ = ()


def are_decoded(values: Iterable[Any]) -> bool:
    """Whether none of the values was too large to decode."""
    return not any(isinstance(value, Undecoded) for value in values)


def by_name(params: Sequence[Named], values: Sequence[Any]) -> dict[str, Any]:
    pairs = zip(params, values, strict=True)
    return {each.name or str(index): value for index, (each, value) in enumerate(pairs)}
