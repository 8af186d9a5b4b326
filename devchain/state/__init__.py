"""Accounts: what a state root says of balances, nonces, code and storage."""
