"""Modules that runs of pytest within a test use.

Such a run forgets its own imports when it ends: without these lines each would import web3.py and
eth-account again, which takes half of the time of all tests here. And classes of forks that are
kept, of virtual machines, would be made of modules that other tests have imported anew.
"""

from __future__ import annotations

import devchain.chain.fork
import devchain.client.web3
import devchain.node.funded_account
import devchain.server.websocket  # noqa: F401
