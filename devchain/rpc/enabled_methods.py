"""Which of the methods a node offers: `--hosted`, `--methods` and `--no-methods`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.rpc.catalog import DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.errors import MethodNotFound
from devchain.rpc.method import Method

SHOWN_NAME = 60
CLOSE = 0.75


class Offer:
    """The methods of a node, as its options open and close them.

    `--methods` leaves nothing open but what it names, `--no-methods` closes what it names, and the
    hosted service has its own few whatever else is open. Raises `ConfigError` for a name that is
    neither a method's nor a namespace's.
    """

    def __init__(self, config: Config) -> None:
        """Read the options once; they do not change while a node runs."""
        self._hosted = config.hosted
        self._opened = _methods_of("methods", config.methods) if config.methods else set(METHODS)
        self._closed = _methods_of("no-methods", config.no_methods)
        self._offered = {each.name: each for each in METHODS.values() if not self._why_closed(each)}

    def method(self, name: str) -> Method:
        """The method of that name; raises `MethodNotFound` with the reason it is not offered."""
        offered = self._offered.get(name)
        if offered is not None:
            return offered
        closed = METHODS.get(name)
        raise MethodNotFound(self._why_closed(closed) if closed else _why_unknown(name))

    def methods(self) -> list[Method]:
        """Every method that is offered, in the order of the catalog."""
        return list(self._offered.values())

    def namespaces(self) -> list[str]:
        """The namespaces that have a method offered, in order of appearance."""
        return list(dict.fromkeys(_namespace(each.name) for each in self.methods()))

    def _why_closed(self, method: Method) -> str:
        name = method.name
        if self._hosted and not method.hosted:
            return f"the hosted service does not offer {name}: start without --hosted to use it"
        if name in self._closed:
            return f"{name} is closed on this node: start without --no-methods to use it"
        if name not in self._opened:
            return f"{name} is closed on this node: start with --methods {name} too to use it"
        return ""


def _methods_of(option: str, given: Iterable[str]) -> set[str]:
    """The methods that names of methods and namespaces stand for; commas may separate them."""
    names = [name.strip() for text in given for name in text.split(",")]
    return {each for name in names for each in _meant(option, name)}


def _meant(option: str, name: str) -> list[str]:
    found = [each for each in METHODS if name in {each, _namespace(each)}]
    if not found:
        known = [*METHODS, *(_namespace(each) for each in METHODS)]
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else "`devchain methods` lists them"
        msg = f"--{option}: no method and no namespace is named {name!r}; {hint}"
        raise ConfigError(msg)
    return found


def _namespace(name: str) -> str:
    """What a name begins with; OpenRPC's own method has a dot where the others have a line."""
    return name.replace(".", "_").partition("_")[0]


def _why_unknown(name: str) -> str:
    reason = (UNSUPPORTED | DEPRECATED).get(name)
    if reason:
        return f"{name} is not supported: {reason}"
    shown = ascii(name)[1:-1][:SHOWN_NAME]
    close = get_close_matches(shown, METHODS, n=1, cutoff=CLOSE)
    hint = f", did you mean {close[0]}?" if close else ""
    return f"the method {shown} does not exist/is not available{hint}"
