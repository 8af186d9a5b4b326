"""What only a development chain allows: edited accounts, rewritten blocks, minted tokens."""
