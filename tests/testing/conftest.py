"""Modules that must stay: a run of pytest within a test forgets what it has imported when it ends.

The models of pydantic in eth-account cannot be made a second time in one process, and the classes
of the server would not be those that its other modules have.
"""

from __future__ import annotations

import devchain.node.funded_account
import devchain.server.websocket  # noqa: F401
