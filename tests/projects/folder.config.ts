// The Hardhat project in the working folder, with the node at DEVCHAIN_URL as the network localhost.

const path = require("node:path");

const root = process.cwd();
const { default: project } = require(path.join(root, "hardhat.config.ts"));

module.exports = {
  ...project,
  paths: { ...project.paths, root },
  networks: {
    ...project.networks,
    localhost: { url: process.env.DEVCHAIN_URL ?? "http://127.0.0.1:8545", timeout: 600_000 },
  },
  mocha: { ...project.mocha, reporter: process.env.MOCHA_REPORTER ?? "spec", timeout: 600_000 },
};
