// Safe's contracts, deployments and tests are where npm has put them.

import path from "node:path";

import "@nomicfoundation/hardhat-chai-matchers";
import "@nomicfoundation/hardhat-ethers";
import "hardhat-deploy";
import { getSingletonFactoryInfo } from "@safe-global/safe-singleton-factory";
import { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } from "hardhat/builtin-tasks/task-names";
import { subtask } from "hardhat/config";

// The compiler comes with npm, too.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async ({ solcVersion }) => ({
  compilerPath: require.resolve("solc/soljson.js"),
  isSolcJs: true,
  version: solcVersion,
  longVersion: require("solc").version(),
}));

const gas = 100_000_000;

export default {
  solidity: "0.7.6",
  paths: {
    root: path.join(__dirname, "node_modules/@safe-global/safe-smart-account"),
    deploy: "src/deploy",
    artifacts: path.join(__dirname, "artifacts"),
    cache: path.join(__dirname, "cache"),
  },
  networks: {
    hardhat: { hardfork: "prague", allowUnlimitedContractSize: true, blockGasLimit: gas, gas },
    localhost: { url: process.env.DEVCHAIN_URL ?? "http://127.0.0.1:8545", gas, timeout: 600_000 },
  },
  namedAccounts: { deployer: 0 },
  deterministicDeployment: (network: string) => {
    const factory = getSingletonFactoryInfo(Number(network));
    return (
      factory && {
        factory: factory.address,
        deployer: factory.signerAddress,
        funding: String(BigInt(factory.gasLimit) * BigInt(factory.gasPrice)),
        signedTx: factory.transaction,
      }
    );
  },
  mocha: { reporter: process.env.MOCHA_REPORTER ?? "spec", timeout: 2_000_000 },
};
