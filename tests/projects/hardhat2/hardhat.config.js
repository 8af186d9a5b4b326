// Runs the tests on Hardhat's own network, or with `--network devchain` on the node at DEVCHAIN_URL.

require("@nomicfoundation/hardhat-ethers");
require("@nomicfoundation/hardhat-chai-matchers");
const { subtask } = require("hardhat/config");
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require("hardhat/builtin-tasks/task-names");

// The compiler comes with npm, too, so that nothing is downloaded from elsewhere.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve("solc/soljson.js"),
  isSolcJs: true,
  version: solcVersion,
  longVersion: require("solc").version(),
}));

module.exports = {
  solidity: {
    version: "0.8.28",
    settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "cancun" },
  },
  networks: {
    devchain: { url: process.env.DEVCHAIN_URL ?? "http://127.0.0.1:8545", accounts: "remote" },
  },
  mocha: { reporter: process.env.MOCHA_REPORTER ?? "spec", timeout: 60_000 },
};
