"""Runs the calls of plan.json with titanoboa and writes what it says of failures to found.json."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import boa

NAMED = re.compile(r"<([\w/.-]+\.vy) at")
plan = json.loads(Path("plan.json").read_text())
deployers = {path.stem: boa.load_partial(str(path)) for path in Path().glob("*.vy")}
deployed = {}
boa.env.set_balance(boa.env.eoa, 10**20)


def value_of(argument: Any) -> Any:
    """An argument as titanoboa takes it."""
    if isinstance(argument, dict):
        return bytes.fromhex(argument["hex"]) if "hex" in argument else int(argument["int"])
    if isinstance(argument, list):
        return [value_of(each) for each in argument]
    if argument.startswith("@blueprint "):
        return deployers[argument.partition(" ")[2]].deploy_as_blueprint().address
    return deployed[argument[1:]].address if argument.startswith("@") else argument


def trigger(case: dict[str, Any]) -> None:
    """Run a case, which raises."""
    for each in case["setup"]:
        name, _, function = each.partition(".")
        getattr(deployed[name], function)()
    given = [value_of(each) for each in case["arguments"]]
    options = {"value": case["value"]}
    if case["gas"]:
        options["gas"] = case["gas"]
    deployer = deployers[case["contract"]]
    if case["function"] == "constructor":
        deployer.deploy(*given, value=case["value"])
        return
    at = next(each for name, each in deployed.items() if name == case["at"])
    contract = deployer.at(at.address) if case["is_proxy"] else at
    if case["data"] is None:
        getattr(contract, case["function"])(*given, **options)
        return
    data = bytes.fromhex(case["data"])
    computation = boa.env.execute_code(to_address=at.address, data=data, **options)
    if computation.is_error:
        contract.handle_error(computation)


def frame(entry: Any) -> str | None:
    """The place of an entry of a stack trace; None without a source."""
    node = getattr(entry, "ast_source", None)
    if node is None:
        return None
    module = node
    while getattr(module, "_parent", None) is not None:
        module = module._parent
    path = getattr(module, "resolved_path", None) or getattr(module, "path", None) or ""
    if not path and (named := NAMED.search(str(getattr(entry, "contract_repr", "")))):
        path = named[1]
    return f"{Path(str(path)).name or '?'}:{node.lineno}"


def answer(error: Any) -> dict[str, Any]:
    """What is said of a failure."""
    entries = list(getattr(error, "stack_trace", None) or [])
    if not entries:
        return {"lines": [], "text": f"{type(error).__name__}: {error}"[:200]}
    inner = entries[0]
    text = getattr(inner, "error_detail", None) or str(inner)[:200]
    why = getattr(inner, "pretty_vm_reason", "") or ""
    return {
        "lines": [frame(each) for each in reversed(entries)][-8:],
        "text": f"{text}; {why}"[:200],
    }


for name, (contract, arguments) in plan["deployed"].items():
    deployed[name] = deployers[contract].deploy(*map(value_of, arguments))
found = {}
for name, case in plan["cases"].items():
    with boa.env.anchor():
        try:
            trigger(case)
            found[name] = {"lines": [], "text": "not a failure"}
        except boa.BoaError as error:
            found[name] = answer(error)
        except Exception as error:  # noqa: BLE001  # whatever it says
            found[name] = {"lines": [], "text": f"{type(error).__name__}: {error}"[:200]}
Path("found.json").write_text(json.dumps(found))
