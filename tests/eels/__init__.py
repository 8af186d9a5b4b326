"""Drawn programs on devchain's engines and on Ethereum's executable specification (EELS)."""
