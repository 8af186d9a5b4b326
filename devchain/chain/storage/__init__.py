"""Where a chain keeps its blocks: in memory (`block_store`), or in an SQLite file.

`sqlite_block_store` is the store in a data dir's `sqlite_file`, `block_encoding` has blocks as
bytes. `DataDir` opens a folder on disk. What a node keeps beside its blocks is written by
`node/node_persistence`; states are in `state/state_database`.
"""
