"""The methods that a node's options enable: `--hosted`, `--methods` and `--no-methods`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import partial, wraps
from typing import Any

from devchain.chain.slices import Slices
from devchain.config import Config
from devchain.errors import ConfigError, MethodNotFound, MethodUnavailable
from devchain.node import Node
from devchain.presets import Preset
from devchain.rpc.block_parameter import block_ref_in
from devchain.rpc.catalog import DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.method import Method, Parameter
from devchain.rpc.result_shapes import SHAPES, Shape
from devchain.rpc.scalar_decoders import Loose, hex_text_only, whole_word
from devchain.types import BlockRef, StateRef

MAX_SHOWN_NAME = 60
MIN_SIMILARITY = 0.75
HEX = (int, Loose, Loose | None, bytes)


class EnabledMethods:
    """The enabled methods of a node, as its preset has them.

    Raises `ConfigError` for a name in its options that is neither a method's nor a namespace's.
    """

    def __init__(self, config: Config) -> None:
        self._hosted = config.hosted
        self._unavailable = {
            name: _refusing(name, count) for name, count in config.preset.unavailable.items()
        }
        constants = {
            name: Method(name, (name,), lambda _node, result=result: result, (), 0)
            for name, result in config.preset.constant_methods.items()
        }
        self._allowed = (
            _methods_named("methods", config.methods) if config.methods else set(METHODS)
        )
        self._denied = _methods_named("no-methods", config.no_methods)
        self.by_name: Mapping[str, Method] = {
            name: _adapted(method, config.preset)
            for name, method in METHODS.items()
            if not self._why_disabled(method)
        } | constants
        """The enabled methods in the order of the catalog."""

    def method(self, name: str) -> Method:
        """The enabled method of that name; raises `MethodNotFound` with the reason it is not."""
        enabled = self.by_name.get(name)
        if enabled is not None:
            return enabled
        if name in self._unavailable:
            return self._unavailable[name]
        disabled = METHODS.get(name)
        why = self._why_disabled(disabled) if disabled else _why_unknown(name)
        raise MethodNotFound(why, name=_shown(name))

    def namespaces(self) -> list[str]:
        return list(dict.fromkeys(_namespace(name) for name in self.by_name))

    def _why_disabled(self, method: Method) -> str:
        name = method.name
        if name in self._unavailable:
            return f"{name} is refused by the node that --like names"
        if self._hosted and not method.hosted:
            return f"the hosted service does not offer {name}: start without --hosted to use it"
        if name in self._denied:
            return f"{name} is disabled on this node: start without --no-methods to use it"
        if name not in self._allowed:
            return f"{name} is disabled on this node: start with --methods {name} too to use it"
        return ""


def _adapted(method: Method, preset: Preset) -> Method:
    name, first_name = method.name, method.names[0]  # the others are aliases
    if name in preset.hex_text_only:
        method = _with_decoders(method, HEX, hex_text_only)
    if first_name in preset.whole_words:
        *others, last = method.parameters
        method = replace(method, parameters=(*others, replace(last, decode=whole_word)))
    if name in preset.block_forms:
        in_forms = partial(block_ref_in, preset.block_forms[name])
        method = _with_decoders(method, (BlockRef, StateRef), in_forms)
    if counts := preset.parameter_counts.get(name):
        method = method.with_parameters(*counts, are_nullable=name in preset.null_is_default)
    if members := preset.required_members.get(name):
        method = method.with_required_members(members)
    if first_name in preset.constant_results:
        result = preset.constant_results[first_name]
        method = _with_result(method, lambda _node, _arguments, _result: result)
    if shape := preset.result_shapes.get(first_name):
        method = _with_result(method, SHAPES[shape])
    if name in preset.missing_block_is_error:
        method = _with_result(method, _refuse_missing_block)
    return method


def _with_decoders(method: Method, hints: Collection[Any], decode: Callable[..., Any]) -> Method:
    # The decoder takes the parameter's own one before value and context.
    return replace(
        method,
        parameters=tuple(
            replace(parameter, decode=partial(decode, parameter.decode))
            if parameter.hint in hints
            else parameter
            for parameter in method.parameters
        ),
    )


def _with_result(method: Method, shape: Shape) -> Method:
    function = method.function

    @wraps(function)
    def answer(node: Node, *arguments: Any) -> object:
        return shape(node, arguments, function(node, *arguments))

    @wraps(function)
    def answer_in_slices(node: Node, *arguments: Any) -> Slices[object]:
        return _in_shape(shape, node, arguments, function(node, *arguments))

    return replace(method, function=answer_in_slices if method.in_slices else answer)


def _in_shape(
    shape: Shape, node: Node, arguments: tuple[Any, ...], work: Slices[Any]
) -> Slices[object]:
    return shape(node, arguments, (yield from work))


def _refuse_missing_block(node: Node, arguments: tuple[Any, ...], result: object) -> object:
    if result is None:
        node.chain.block(arguments[0])
    return result


def _refusing(name: str, count: int) -> Method:

    def refuse(_node: Node, *_arguments: object) -> None:
        raise MethodUnavailable(f"the method {name} does not exist/is not available", name=name)

    parameters = (Parameter(str(index), Any, lambda value, _: value) for index in range(count))
    return Method(name, (name,), refuse, tuple(parameters), count)


def _methods_named(option: str, texts: Iterable[str]) -> set[str]:
    methods: set[str] = set()
    for name in (name.strip() for text in texts for name in text.split(",")):
        matching = {method for method in METHODS if name in {method, _namespace(method)}}
        if not matching:
            known = [*METHODS, *map(_namespace, METHODS)]
            similar = get_close_matches(name, known, n=1, cutoff=MIN_SIMILARITY)
            hint = f"did you mean {similar[0]}?" if similar else "`devchain methods` lists them"
            raise ConfigError(f"--{option}: no method and no namespace is named {name!r}; {hint}")
        methods |= matching
    return methods


def _namespace(name: str) -> str:
    return name.replace(".", "_").partition("_")[0]


def _why_unknown(name: str) -> str:
    reason = (UNSUPPORTED | DEPRECATED).get(name)
    if reason:
        return f"{name} is not supported: {reason}"
    shown = _shown(name)
    similar = get_close_matches(shown, METHODS, n=1, cutoff=MIN_SIMILARITY)
    hint = f", did you mean {similar[0]}?" if similar else ""
    return f"the method {shown} does not exist/is not available{hint}"


def _shown(name: str) -> str:
    return ascii(name)[1:-1][:MAX_SHOWN_NAME]
