"""Ethereum's hardforks as py-evm has them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

TWO_WORDS = {
    "tangerinewhistle": "tangerine_whistle",
    "spuriousdragon": "spurious_dragon",
    "muirglacier": "muir_glacier",
    "arrowglacier": "arrow_glacier",
    "grayglacier": "gray_glacier",
}
"""Hardforks whose module in `eth.vm.forks` has two words."""


def ethereum_vm(hardfork: str) -> Any:
    """py-evm's own virtual machine class of that hardfork; only what it needs is imported."""
    name = TWO_WORDS.get(hardfork, hardfork)
    module = import_module(f"eth.vm.forks.{name}")
    return getattr(module, f"{name.title().replace('_', '')}VM")
