require("@nomicfoundation/hardhat-ethers");
require("@nomicfoundation/hardhat-chai-matchers");

module.exports = {
  solidity: "0.8.28",
  networks: { devchain: { url: process.env.DEVCHAIN_URL, accounts: "remote" } },
};
