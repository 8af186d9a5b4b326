"""`devchain.upstream`, and a node to fork from that answers as badly as a test wants."""
