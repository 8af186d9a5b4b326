"""The chain on disk: one SQLite file a network, in which every block is one transaction."""
