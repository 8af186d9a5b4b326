"""Rootstock's rules, built from py-evm's own parts."""
