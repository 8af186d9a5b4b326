// Custom errors, reasons and panics as ethers and viem decode them. `DEVCHAIN_LIKE` names the
// preset of the node; viem decodes payloads where the code is 3, or `data` is as Hardhat's.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Contract, ContractFactory, JsonRpcProvider } from "ethers";
import {
  ContractFunctionRevertedError, createPublicClient, createWalletClient, defineChain, http,
} from "viem";

const url = process.env.DEVCHAIN_URL;
const like = process.env.DEVCHAIN_LIKE ?? "";
const path = new URL("../../testing/contracts/till-plain.json", import.meta.url);
const { contracts } = JSON.parse(readFileSync(path, "utf8")).output;
const { abi, evm } = Object.values(contracts).find((file) => file.Till).Till;
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });
const signer = await provider.getSigner(0), other = await provider.getSigner(1);
const factory = new ContractFactory(abi, `0x${evm.bytecode.object}`, signer);

async function deploy() {
  const till = await factory.deploy({ gasLimit: 2_000_000 });
  await till.waitForDeployment();
  return till.getAddress();
}

const till = await deploy(), full = await deploy();
await (await new Contract(full, abi, signer).setRate(2n ** 255n, { gasLimit: 200_000 })).wait();

const CASES = [
  { at: till, by: signer, name: "sell", argument: 100n, error: "TooMuch(350)" },
  { at: till, by: other, name: "setRate", argument: 3n, error: "Error(not the owner ✋)" },
  { at: full, by: signer, name: "sell", argument: 3n, error: "Panic(17)" },
];

const shown = (name, values) => (name ? `${name}(${(values ?? []).join()})` : null);
const failed = (promise) => promise.then(() => assert.fail("it passed"), (error) => error);

for (const { at, by, name, argument, error } of CASES) {
  test(`ethers: a call that fails with ${error}`, async () => {
    const found = await failed(new Contract(at, abi, by)[name].staticCall(argument));

    assert.equal(found.code, "CALL_EXCEPTION");
    assert.equal(shown(found.revert.name, found.revert.args), error);
  });

  test(`ethers: a transaction that fails with ${error}`, async () => {
    const contract = new Contract(at, abi, by);
    const found = await failed(
      contract[name](argument, { gasLimit: 200_000 }).then((sent) => sent.wait()),
    );

    if (like !== "hardhat") {
      assert.equal(found.code, "CALL_EXCEPTION");
      assert.equal(found.receipt.status, 0);
      return;
    }
    const { data } = found.error; // as of Hardhat's own node
    assert.equal(shown(...Object.values(parsed(contract, data.data))), error);
    assert.match(data.txHash, /^0x[0-9a-f]{64}$/);
    assert.match(data.stackTrace, /Till\.sol:\d+/);
    assert.equal(data.message, found.error.message);
  });

  test(`viem: a call and a transaction that fail with ${error}`, { skip: !decodes() }, async () => {
    const { chainId } = await provider.getNetwork();
    const nativeCurrency = { name: "Ether", symbol: "ETH", decimals: 18 };
    const rpcUrls = { default: { http: [url] } };
    const chain = defineChain({ id: Number(chainId), name: "devchain", nativeCurrency, rpcUrls });
    const transport = http(url, { retryCount: 0 });
    const client = createPublicClient({ chain, transport });
    const wallet = createWalletClient({ chain, transport });
    const call = { address: at, abi, functionName: name, args: [argument], account: by.address };

    const found = [await failed(client.simulateContract(call))];
    if (like === "hardhat") found.push(await failed(wallet.writeContract({ ...call, gas: 200_000n })));

    for (const each of found) {
      const { data } = each.walk((cause) => cause instanceof ContractFunctionRevertedError);
      assert.equal(shown(data.errorName, data.args), error);
    }
  });
}

function parsed(contract, data) {
  const { name, args } = contract.interface.parseError(data);
  return { name, args };
}

function decodes() {
  return ["hardhat", "anvil"].includes(like);
}
