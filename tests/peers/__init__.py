"""Requests that Hardhat, anvil and ganache were asked, their answers, and a player of both."""
