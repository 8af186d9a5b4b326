"""A pytest plugin that runs a suite written for a node's URL in process.

`NODE_URL` names one node, which runs and is served in pytest's own process; where the suite
makes web3.py's HTTP providers it gets those of `devchain.client.web3` on the same node:

    PYTHONPATH=. pytest -p tests.clients.in_process PATH_OF_THE_SUITE

`HARDFORK` chooses the rules, Ethereum's newest by default.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
import web3
import web3.providers.rpc

from devchain import Config, Node
from devchain.client.web3 import async_provider, provider
from devchain.server.serve import serve_in_thread

NODE = Node(Config(network="test", hardfork=os.environ.get("HARDFORK", "prague"), revert_code=3))
SERVED = serve_in_thread(NODE)
os.environ["NODE_URL"] = SERVED.__enter__()


def _provider(*_: Any, **__: Any) -> Any:
    return provider(NODE)


def _async_provider(*_: Any, **__: Any) -> Any:
    return async_provider(NODE)


for place in (web3.Web3, web3, web3.providers.rpc):
    place.HTTPProvider = _provider  # type: ignore[misc,union-attr]  # replaced on purpose
for place in (web3.AsyncWeb3, web3, web3.providers.rpc):
    place.AsyncHTTPProvider = _async_provider  # type: ignore[misc,union-attr]


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the server."""
    del config
    SERVED.__exit__(None, None, None)
