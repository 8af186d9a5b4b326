"""Modules that must stay: a run of pytest within a test forgets what it has imported when it ends.

The models of pydantic in eth-account cannot be made a second time in one process.
"""

from __future__ import annotations

import devchain.node.funded_account  # noqa: F401
