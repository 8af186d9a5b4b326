"""`devchain inspect`: look at one thing on a running node, a file per thing."""

from __future__ import annotations

from devchain.cli.commands.inspect.account import account
from devchain.cli.commands.inspect.block import block
from devchain.cli.commands.inspect.chain import chain
from devchain.cli.commands.inspect.code import code
from devchain.cli.commands.inspect.logs import logs
from devchain.cli.commands.inspect.mempool import mempool
from devchain.cli.commands.inspect.receipt import receipt
from devchain.cli.commands.inspect.storage import storage
from devchain.cli.commands.inspect.tx import tx
from devchain.cli.help import Command, new_app

app = new_app("""
    Look at one thing on a running node: a block, a transaction, an account.

    It works on any node that speaks JSON-RPC; --url says where it is.

    Examples:
      devchain inspect block latest
      devchain inspect chain --url https://public-node.testnet.rsk.co
""")

for command in (chain, block, tx, receipt, account, code, storage, logs, mempool):
    app.command(cls=Command)(command)
