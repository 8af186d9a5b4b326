"""Where a chain keeps its blocks: the `BlockStore` interface, in memory and in an SQLite file.

`block_store` has the interface and the store in memory, `sqlite_block_store` the one in a data
dir's `sqlite_file`, and `block_encoding` blocks as bytes. `DataDir` opens a folder on disk. What a
node keeps beside its blocks is written by `node/node_persistence`; states are in
`state/state_database`.
"""
