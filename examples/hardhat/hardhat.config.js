// A Hardhat project whose tests run on devchain: `devchain start --network test`, then `npm test`.

require("@nomicfoundation/hardhat-ethers");
require("@nomicfoundation/hardhat-chai-matchers");

module.exports = {
  solidity: "0.8.28",
  networks: {
    devchain: {
      url: process.env.DEVCHAIN_URL ?? "http://127.0.0.1:4444",
      accounts: "remote",
    },
  },
};
