"""`devchain inspect`: show one thing on a node of any kind, read through JSON-RPC."""

from __future__ import annotations

from devchain.cli.commands.inspect.block_tx_receipt import block, receipt, tx
from devchain.cli.commands.inspect.chain import chain, mempool
from devchain.cli.commands.inspect.gas import gas
from devchain.cli.commands.inspect.logs import logs
from devchain.cli.commands.inspect.state import account, code, storage
from devchain.cli.help import Command, new_app
from devchain.cli.options import read_from_node

app = new_app("""
    Show one thing on a node: a block, a transaction, an account, logs.

    It works with any node that speaks JSON-RPC.

    Examples:
      devchain inspect tx latest
      devchain inspect chain --url https://public-node.testnet.rsk.co
""")

app.callback()(read_from_node)
for command in (chain, block, tx, receipt, gas, account, code, storage, logs, mempool):
    app.command(cls=Command)(command)
