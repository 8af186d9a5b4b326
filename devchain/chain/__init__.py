"""The chain: blocks, their execution and history, and the transactions and receipts in them.

`chain.py` holds the blocks and opens states; `block_builder.py` builds blocks with an executor from
`executor.py`; `eth_call.py` runs calls without a transaction; `transaction.py` and `signing.py`
decode and sign. Rootstock's own: `remasc.py`, `merged_mining.py`. Block stores
are in `storage/`. Opcodes and hardforks are in `devchain.evm`, accounts and tries in
`devchain.state`; the mempool and the miner, which decide what is mined, in `devchain.node`.

Public entry: `chain.open_chain` and `Chain`.
"""
