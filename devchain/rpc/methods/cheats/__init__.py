"""The methods of Hardhat, anvil and ganache that change a chain by hand, a chapter a file."""
