"""devchain: a local Rootstock chain for tests and development."""
