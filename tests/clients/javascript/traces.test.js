import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { ContractFactory, JsonRpcProvider, toQuantity } from "ethers";

const path = new URL("../../../examples/contracts/Vault.json", import.meta.url);
const { abi, bytecode } = JSON.parse(readFileSync(path, "utf8"));

test("ethers sends for traces, and decodes the calls, logs and reverts in them", async () => {
  const provider = new JsonRpcProvider(process.env.DEVCHAIN_URL);
  const signer = await provider.getSigner();
  const vault = await new ContractFactory(abi, bytecode, signer).deploy(86400);
  const created = await vault.deploymentTransaction().wait();
  const deposit = await (await vault.deposit({ value: 7n })).wait();
  const failed = await (await vault.withdraw({ gasLimit: 200_000 })).wait().catch((e) => e.receipt);
  const debug = (hash, tracer, tracerConfig) =>
    provider.send("debug_traceTransaction", [hash, { tracer, tracerConfig }]);

  const call = await debug(deposit.hash, "callTracer", { withLog: true });
  const reverted = await debug(failed.hash, "callTracer");
  const states = await debug(deposit.hash, "prestateTracer", { diffMode: true });
  const steps = await provider.send("debug_traceTransaction", [deposit.hash]);
  const [create] = await provider.send("trace_transaction", [created.hash]);
  const block = await provider.send("trace_block", [toQuantity(deposit.blockNumber)]);
  const query = { fromBlock: toQuantity(created.blockNumber), fromAddress: [await signer.getAddress()] };
  const filtered = await provider.send("trace_filter", [query]);

  const target = vault.target.toLowerCase();
  assert.equal(vault.interface.parseTransaction({ data: call.input }).name, "deposit");
  assert.deepEqual(vault.interface.parseLog(call.logs[0]).args[1], 7n);
  assert.equal(BigInt(call.gasUsed), deposit.gasUsed);
  assert.equal(vault.interface.parseError(reverted.output).args[0], reverted.revertReason);
  assert.equal(failed.status, 0);
  assert.equal(BigInt(states.post[target].balance), 7n);
  assert.equal(BigInt(steps.gas), deposit.gasUsed);
  assert.equal(create.result.address, target);
  assert.equal(create.result.code, await vault.getDeployedCode());
  assert.deepEqual(block[0].transactionHash, deposit.hash);
  const hashes = filtered.map((each) => each.transactionHash);
  assert.deepEqual(hashes, [created.hash, deposit.hash, failed.hash]);
  provider.destroy();
});
