"""Tests of `devchain.evm.compiler`."""
