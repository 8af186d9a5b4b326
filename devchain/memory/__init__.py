"""What outlives a process beside the chain: pool, clock, mining mode, keys, snapshots; dumps."""
