"""The curve alt_bn128 (BN254, EIP-196 and EIP-197): sums, products and pairings of its points.

Pure Python, some hundred times faster than py_ecc, which is the judge in the tests: a pairing costs
as much time for its gas as other code does, so that nobody can hold up the node with it.
"""
