"""Contracts with equal runtime code: `Gold` and `Silver`, and `Copper` and `Bronze` with init code.

`Mint.create(isGold, amount)` creates Gold or Silver, and calls its `put(amount)`.
"""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).parent / "testing" / "contracts" / "equal.json"
