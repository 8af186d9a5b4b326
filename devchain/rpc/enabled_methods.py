"""The methods that a node's options enable: `--hosted`, `--methods` and `--no-methods`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from devchain.config import Config
from devchain.errors import ConfigError
from devchain.rpc.catalog import DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.errors import MethodNotFound
from devchain.rpc.method import Method

MAX_SHOWN_NAME = 60
MIN_SIMILARITY = 0.75


class EnabledMethods:
    """The enabled methods of a node.

    `--methods` enables only the named ones, `--no-methods` disables the named ones, and `--hosted`
    leaves those of the hosted service. Raises `ConfigError` for a name that is neither a method's
    nor a namespace's.
    """

    def __init__(self, config: Config) -> None:
        self._hosted = config.hosted
        self._allowed = (
            _methods_named("methods", config.methods) if config.methods else set(METHODS)
        )
        self._denied = _methods_named("no-methods", config.no_methods)
        self._enabled = {
            name: each for name, each in METHODS.items() if not self._why_disabled(each)
        }

    def method(self, name: str) -> Method:
        """The enabled method of that name; raises `MethodNotFound` with the reason it is not."""
        enabled = self._enabled.get(name)
        if enabled is not None:
            return enabled
        disabled = METHODS.get(name)
        raise MethodNotFound(self._why_disabled(disabled) if disabled else _why_unknown(name))

    def methods(self) -> list[Method]:
        """The enabled methods in the order of the catalog."""
        return list(self._enabled.values())

    def namespaces(self) -> list[str]:
        """The namespaces with an enabled method, in the order of the catalog."""
        return list(dict.fromkeys(_namespace(name) for name in self._enabled))

    def _why_disabled(self, method: Method) -> str:
        name = method.name
        if self._hosted and not method.hosted:
            return f"the hosted service does not offer {name}: start without --hosted to use it"
        if name in self._denied:
            return f"{name} is disabled on this node: start without --no-methods to use it"
        if name not in self._allowed:
            return f"{name} is disabled on this node: start with --methods {name} too to use it"
        return ""


def _methods_named(option: str, texts: Iterable[str]) -> set[str]:
    """The methods that an option names, each by its own name or its namespace's."""
    names = [name.strip() for text in texts for name in text.split(",")]
    return {each for name in names for each in _matching(option, name)}


def _matching(option: str, name: str) -> list[str]:
    matching = [each for each in METHODS if name in {each, _namespace(each)}]
    if not matching:
        known = [*METHODS, *(_namespace(each) for each in METHODS)]
        similar = get_close_matches(name, known, n=1)
        hint = f"did you mean {similar[0]}?" if similar else "`devchain methods` lists them"
        raise ConfigError(f"--{option}: no method and no namespace is named {name!r}; {hint}")
    return matching


def _namespace(name: str) -> str:
    """The part before the underscore, `eth`; the method `rpc.discover` has a dot instead."""
    return name.replace(".", "_").partition("_")[0]


def _why_unknown(name: str) -> str:
    reason = (UNSUPPORTED | DEPRECATED).get(name)
    if reason:
        return f"{name} is not supported: {reason}"
    shown = ascii(name)[1:-1][:MAX_SHOWN_NAME]
    similar = get_close_matches(shown, METHODS, n=1, cutoff=MIN_SIMILARITY)
    hint = f", did you mean {similar[0]}?" if similar else ""
    return f"the method {shown} does not exist/is not available{hint}"
