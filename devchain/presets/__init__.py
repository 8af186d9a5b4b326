"""Presets: what other nodes do where nodes differ by choice, one module for each node.

`--like NAME` selects one. A preset replaces defaults of `Config`, and says what differs: error
codes and texts, required parameters, how values may be written, what the answers look like. The
consensus rules never depend on a preset. `fields.Preset` has the fields with devchain's own values.
"""

from __future__ import annotations

from collections.abc import Mapping

from devchain.presets.anvil import ANVIL
from devchain.presets.fields import DEVCHAIN, Preset, hosted
from devchain.presets.ganache import GANACHE
from devchain.presets.hardhat import HARDHAT
from devchain.presets.rskj import RSKJ, RSKJ_9_0_4

__all__ = ["DEVCHAIN", "PRESETS", "Preset", "hosted"]

PRESETS: Mapping[str, Preset] = {
    preset.name: preset for preset in (HARDHAT, ANVIL, GANACHE, RSKJ, RSKJ_9_0_4)
}
"""The presets by name, the value of `--like`."""
