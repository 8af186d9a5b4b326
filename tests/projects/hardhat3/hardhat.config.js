// Runs the tests on a network of Hardhat's own, or with `--network devchain` on the node at
// DEVCHAIN_URL.

import { createRequire } from "node:module";

import hardhatEthers from "@nomicfoundation/hardhat-ethers";
import hardhatMatchers from "@nomicfoundation/hardhat-ethers-chai-matchers";
import hardhatMocha from "@nomicfoundation/hardhat-mocha";
import hardhatHelpers from "@nomicfoundation/hardhat-network-helpers";
import { defineConfig } from "hardhat/config";

const { resolve } = createRequire(import.meta.url);

export default defineConfig({
  plugins: [hardhatEthers, hardhatMatchers, hardhatMocha, hardhatHelpers],
  solidity: {
    compilers: [{ version: "0.8.28", path: resolve("solc/soljson.js"), settings: { evmVersion: "cancun" } }],
  },
  networks: {
    devchain: {
      type: "http",
      url: process.env.DEVCHAIN_URL ?? "http://127.0.0.1:8545",
      accounts: "remote",
    },
  },
  test: { mocha: { reporter: process.env.MOCHA_REPORTER ?? "spec", timeout: 60_000 } },
});
