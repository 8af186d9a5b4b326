"""Gas profiles as JSON objects of `devchain_profileTransaction`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devchain.contracts.gas_profile import GasProfile


def gas_profile_object(profile: GasProfile) -> dict[str, Any]:
    """The object of a profile; lists begin with the most gas."""
    stacks = [(above[1:], node) for above, node in profile.stacks.walk() if above]
    return {
        "gasUsed": profile.gas_used,
        "refunds": profile.refunds,
        "functions": [
            {"name": each.name, "calls": each.calls, "gas": each.gas, "total": each.total}
            for each in profile.functions()
        ],
        "lines": [
            {
                "path": path if number else None,
                "line": number or None,
                "function": None if number else path or None,
                "note": note,
                "text": each.text,
                "gas": each.gas,
                "generated": each.generated,
            }
            for (path, number, note), each in profile.sorted_lines()
        ],
        "storage": [
            {
                "contract": contract,
                "variable": variable,
                "reads": use.reads,
                "writes": use.writes,
                "gas": use.gas,
                "coldGas": use.cold_gas,
            }
            for (contract, variable), use in profile.sorted_storage()
        ],
        "stacks": [
            {"functions": [*above, node.name], "gas": node.gas, "calls": node.calls}
            for above, node in sorted(stacks, key=lambda each: -each[1].gas)
        ],
    }
