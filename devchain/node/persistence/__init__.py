"""What a node writes to disk beside its blocks, and dumps of whole nodes.

`NodePersistence` restores a node from its data dir and keeps that up to date; `dump` writes and
loads dumps; `node_codec` has the settings and snapshots of both as JSON. Blocks and states are
written by `chain/storage`, keys by `node/keystore`.
"""
