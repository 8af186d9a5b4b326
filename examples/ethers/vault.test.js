// Test a contract with ethers v6: deploy, call, event, decoded reverts, snapshot, time travel.
//
// Start a node with `devchain start --network test`, then `npm install && npm test` here.
// DEVCHAIN_URL names another node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, before, beforeEach, test } from "node:test";

import { ContractFactory, JsonRpcProvider, parseEther } from "ethers";

const url = process.env.DEVCHAIN_URL ?? "http://127.0.0.1:4444";
const artifact = JSON.parse(readFileSync(new URL("../contracts/Vault.json", import.meta.url)));
const DAY = 24 * 60 * 60;

const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1, pollingInterval: 50 });
let owner, alice, vault, snapshot;

before(async () => {
  owner = await provider.getSigner(0);
  alice = await provider.getSigner(1);
  const factory = new ContractFactory(artifact.abi, artifact.bytecode, owner);
  vault = await factory.deploy(DAY);
  await vault.waitForDeployment();
});

beforeEach(async () => {
  snapshot = await provider.send("evm_snapshot", []);
});

afterEach(async () => {
  assert.equal(await provider.send("evm_revert", [snapshot]), true);
});

test("a deposit is kept and announced by an event", async () => {
  const sent = await vault.connect(alice).deposit({ value: parseEther("1") });
  const receipt = await sent.wait();
  const [event] = receipt.logs.map((log) => vault.interface.parseLog(log));
  assert.equal(event.name, "Deposited");
  assert.equal(event.args.amount, parseEther("1"));
  assert.equal(await vault.deposits(alice.address), parseEther("1"));
  const found = await vault.queryFilter(vault.filters.Deposited(alice.address), receipt.blockNumber);
  assert.equal(found.length, 1);
});

test("a revert carries its text", async () => {
  await assert.rejects(vault.connect(alice).deposit(), { reason: "nothing to deposit" });
  await assert.rejects(vault.withdraw.staticCall(), { reason: "the vault is still closed" });
});

test("a custom error carries its name and arguments", async () => {
  await assert.rejects(vault.connect(alice).withdraw.staticCall(), (error) => {
    assert.equal(error.revert.name, "NotOwner");
    assert.equal(error.revert.args[0], alice.address);
    return true;
  });
});

test("after a day the vault pays its owner", async () => {
  await (await vault.connect(alice).deposit({ value: parseEther("2") })).wait();
  await provider.send("evm_increaseTime", [DAY]);
  await provider.send("evm_mine", []);
  await (await vault.withdraw()).wait();
  assert.equal(await provider.getBalance(await vault.getAddress()), 0n);
});
