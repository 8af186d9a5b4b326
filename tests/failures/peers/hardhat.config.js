// Hardhat's own network with the accounts of devchain, so that contracts get the same addresses.

module.exports = {
  solidity: "0.8.28",
  networks: {
    hardhat: {
      hardfork: "cancun",
      accounts: { mnemonic: process.env.MNEMONIC, path: process.env.DERIVATION_PATH },
      blockGasLimit: 30_000_000,
      gasPrice: 8_000_000_000,
    },
  },
};
