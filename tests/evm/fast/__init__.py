"""Tests of `devchain.evm.fast`."""
