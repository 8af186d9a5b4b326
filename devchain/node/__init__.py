"""The node: a chain with its mempool, miner, accounts, filters, snapshots and persistence.

What needs more than blocks and states belongs here, apart from wire formats and transports, which
are in `rpc` and `server`. `core.py` has the node and its operations, `python_api.py` the Python API
for tests above it, `cheats.py` the operations of development nodes alone; every other module is one
component. The public entry is `Node`.
"""

import devchain.evm  # noqa: F401  # before modules that import py-evm: it makes that faster
from devchain.node.python_api import Node, version

__all__ = ["Node", "version"]
