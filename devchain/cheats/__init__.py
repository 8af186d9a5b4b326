"""What only a development chain lets callers do: edit accounts, rewrite blocks, mint tokens."""
