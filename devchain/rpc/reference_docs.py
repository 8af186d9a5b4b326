"""The method reference `docs/rpc.md`, rendered from the catalog."""

from __future__ import annotations

from collections.abc import Mapping

from devchain.presets import DEVCHAIN, hosted
from devchain.rpc.catalog import CHAPTERS, DEPRECATED, METHODS, UNSUPPORTED
from devchain.rpc.method import Method, Parameter
from devchain.rpc.wire_types import wire_type

HOSTED = hosted(DEVCHAIN)

INTRODUCTION = """\
# Methods

Every JSON-RPC method devchain answers. Parameters are positional; `?` marks those that may be
left out. QUANTITY is a number as 0x hex, DATA bytes as 0x hex. This page is made from the code by
`make docs`. All methods are enabled unless `--methods`, `--no-methods` or `--hosted` disable some;
`devchain methods` lists the enabled ones. `rpc.discover` returns the same information as an OpenRPC
document.

Examples show the parameters, then the result; long values are shortened. Wrong parameters are error
-32602 in every method, with a message that names the parameter.
"""


def render(examples: Mapping[str, str]) -> str:
    """The reference as Markdown; `examples` has the examples of each method, by name."""
    chapters = (_chapter(title, examples) for title in CHAPTERS)
    return "\n".join([INTRODUCTION, *chapters, _unsupported(UNSUPPORTED | DEPRECATED)])


def _chapter(title: str, examples: Mapping[str, str]) -> str:
    methods = [each for each in METHODS.values() if each.chapter == title and not each.is_alias]
    return "\n".join([f"## {title}\n", *(_method(each, examples) for each in methods)])


def _method(method: Method, examples: Mapping[str, str]) -> str:
    lines = [f"### `{method.name}({method.signature})`\n", method.documentation, ""]
    lines.extend(_parameter(each) for each in method.parameters)
    lines.append(f"- result: {wire_type(method.returns).label}")
    if len(method.names) > 1:
        lines.append("- also called " + ", ".join(f"`{each}`" for each in method.names[1:]))
    if method.hosted:
        lines.append(f"- also offered with `--hosted`{_hosted_differences(method)}")
    if examples.get(method.name):
        lines.append(examples[method.name])
    return "\n".join([*lines, ""])


def _hosted_differences(method: Method) -> str:
    """What the hosted service refuses, as the end of a sentence."""
    least, _ = HOSTED.parameter_counts.get(method.name, (0, None))
    required = [f"`{each.name}`" for each in method.parameters[method.required : least]]
    required += [f"`{each}`" for each in HOSTED.required_members.get(method.name, ())]
    refused = [] if method.hosted_pending else ["`pending` is refused (-32201)"]
    if required:
        verb = "is" if len(required) == 1 else "are"
        refused.append(f"{' and '.join(required)} {verb} required (-32602)")
    return f", where {' and '.join(refused)}" if refused else ""


def _parameter(parameter: Parameter) -> str:
    optional = ", optional" if parameter.is_optional else ""
    return f"- `{parameter.name}`: {wire_type(parameter.hint).label}{optional}"


def _unsupported(reasons: dict[str, str]) -> str:
    rows = [f"| `{name}` | {reason} |" for name, reason in reasons.items()]
    head = ["## Not supported\n", "| method | why, and what to use instead |", "| --- | --- |"]
    return "\n".join([*head, *rows, ""])
