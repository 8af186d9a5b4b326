"""Methods of Hardhat, anvil and ganache that control the chain, by topic, under all their names."""
