"""`devchain.server.bitcoin`"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from bitcoin_core_rpc import BitcoinCoreRpcClient

from devchain.config import Config
from devchain.node import Node
from devchain.server.bitcoin import bitcoin_app
from devchain.server.router import Router

PASSWORD = "devchain"
CALL = {"id": 1, "method": "getblockcount", "params": []}


def post(path: str, body: bytes, password: str | None = PASSWORD, method: str = "POST") -> Any:
    """The response to a request of a new node: status, headers, body."""

    async def ask() -> Any:
        config = Config(fixed_clock=1_700_000_000)
        with Node(config) as node:
            client = bitcoin_app(Router.of({"local": node}, config, None)).test_client()
            key = base64.b64encode(f"devchain:{password}".encode()).decode()
            headers = {} if password is None else {"Authorization": f"Basic {key}"}
            response = await client.open(path, method=method, data=body, headers=headers)
            return response.status_code, response.headers, await response.get_data()

    return asyncio.run(ask())


class TestRequests:
    def test_path(self) -> None:
        """The path names the wallet."""
        call = json.dumps({"id": 1, "method": "getwalletinfo"}).encode()

        assert json.loads(post("/wallet/", call)[2])["result"]["walletname"] == ""
        assert json.loads(post("/wallet/none", call)[2])["error"]["code"] == -18

    @pytest.mark.parametrize("password", [None, "", "wrong"])
    def test_password(self, password: str | None) -> None:
        """Without the password the status is 401."""
        status, headers, _ = post("/", json.dumps(CALL).encode(), password)

        assert status == 401
        assert headers["WWW-Authenticate"] == 'Basic realm="jsonrpc"'

    def test_refused(self) -> None:
        """Other methods, paths and large bodies get HTTP's own statuses."""
        assert post("/", b"", method="GET")[0] == 405
        assert post("/other", b"{}")[0] == 404
        assert post("/", b" " * (5 * 2**20 + 1))[0] == 413


class TestStart:
    def test_client(self) -> None:
        """`devchain start --bitcoin` answers a client for Bitcoin Core."""
        command = [sys.executable, "-m", "devchain", "start", "--bitcoin", "--bitcoin-port", "0"]
        command += ["--port", "0", "--log-format", "json", "--bitcoin-password", "secret"]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            env={**os.environ, "XDG_STATE_HOME": os.devnull},
            text=True,
        )
        try:
            assert process.stdout
            url = json.loads(process.stdout.readline())["bitcoin"]
            port = url.rpartition(":")[2]
            client = BitcoinCoreRpcClient(
                f"http://127.0.0.1:{port}", user="devchain", password="secret"
            )
            client.call("createwallet", ["own"])
            own = client.for_wallet("own")
            address = own.call("getnewaddress")
            rewards = client.for_wallet("")
            rewards.call("sendtoaddress", {"address": address, "amount": 1.5})
            client.call("generatetoaddress", [1, address])

            assert "secret" not in url
            assert own.call("getbalance") == Decimal("1.5")
            assert client.call("getblockcount") == 111
        finally:
            process.terminate()
            process.communicate()
