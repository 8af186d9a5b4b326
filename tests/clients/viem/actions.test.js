// Every test action of viem, in its modes hardhat and anvil.

import assert from "node:assert/strict";
import test from "node:test";

import { createPublicClient, createTestClient, http, parseEther } from "viem";

const transport = http(process.env.DEVCHAIN_URL);
const reader = createPublicClient({ transport, cacheTime: 0 });
const A = "0x00000000000000000000000000000000000000aa";
const B = "0x00000000000000000000000000000000000000bb";
const SLOT = "0x" + "00".repeat(31) + "02";
const WORD = "0x" + "00".repeat(31) + "4d";
const [SENDER] = await reader.request({ method: "eth_accounts" });
const send = (request) => reader.request({ method: "eth_sendTransaction", params: [request] });

for (const mode of ["hardhat", "anvil"]) {
  const client = createTestClient({ mode, transport });

  test(`${mode}: accounts`, async () => {
    await client.setBalance({ address: A, value: parseEther("3") });
    await client.setNonce({ address: A, nonce: 9 });
    await client.setCode({ address: A, bytecode: "0x00" });
    await client.setStorageAt({ address: A, index: 2, value: WORD });

    assert.equal(await reader.getBalance({ address: A }), parseEther("3"));
    assert.equal(await reader.getTransactionCount({ address: A }), 9);
    assert.equal(await reader.getCode({ address: A }), "0x00");
    assert.equal(await reader.getStorageAt({ address: A, slot: SLOT }), WORD);
  });

  test(`${mode}: senders without a key`, async () => {
    const to = SENDER;
    await client.setBalance({ address: B, value: parseEther("3") });
    await client.impersonateAccount({ address: B });
    const sent = await send({ from: B, to, value: "0x5" });
    await client.stopImpersonatingAccount({ address: B });
    const unsigned = await client.sendUnsignedTransaction({ from: B, to, value: 5n });

    for (const hash of [sent, unsigned]) {
      assert.equal((await reader.getTransactionReceipt({ hash })).from, B);
    }
    await assert.rejects(send({ from: B, to, value: "0x5" }));
  });

  test(`${mode}: blocks`, async () => {
    const before = await reader.getBlock();
    await client.mine({ blocks: 3, interval: 20 });
    const after = await reader.getBlock();
    await client.setCoinbase({ address: A });
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas: 7n });
    await client.setBlockGasLimit({ gasLimit: 12345678n });
    await client.mine({ blocks: 1 });
    const ordered = await reader.getBlock();

    assert.equal(after.number, before.number + 3n);
    assert.equal(after.timestamp - (await reader.getBlock({ blockNumber: after.number - 1n })).timestamp, 20n);
    assert.deepEqual([ordered.miner, ordered.baseFeePerGas, ordered.gasLimit], [A, 7n, 12345678n]);
  });

  test(`${mode}: time`, async () => {
    const { timestamp } = await reader.getBlock();
    await client.setNextBlockTimestamp({ timestamp: timestamp + 100n });
    await client.mine({ blocks: 1 });
    const set = await reader.getBlock();
    await client.increaseTime({ seconds: 50 });
    await client.mine({ blocks: 1 });
    const increased = await reader.getBlock();
    await client.setBlockTimestampInterval({ interval: 7 });
    await client.mine({ blocks: 1 });
    const spaced = await reader.getBlock();
    await client.removeBlockTimestampInterval();

    assert.equal(set.timestamp, timestamp + 100n);
    assert.ok(increased.timestamp >= set.timestamp + 50n);
    assert.equal(spaced.timestamp, increased.timestamp + 7n);
  });

  test(`${mode}: snapshots, reset and the log`, async () => {
    const id = await client.snapshot();
    await client.setBalance({ address: A, value: 1n });
    await client.revert({ id });
    assert.notEqual(await reader.getBalance({ address: A }), 1n);
    await client.setLoggingEnabled(false);
    await client.setLoggingEnabled(true);

    await client.reset();

    assert.equal(await reader.getBlockNumber(), 0n);
  });

  test(`${mode}: mining and the mempool`, async () => {
    await client.setAutomine(false);
    assert.equal(await client.getAutomine(), false);
    const hash = await send({ from: SENDER, to: A, value: "0x5" });
    const status = await client.getTxpoolStatus();
    const content = await client.getTxpoolContent();
    const summary = await client.inspectTxpool();
    await client.dropTransaction({ hash });
    await client.setIntervalMining({ interval: 1000 });
    await client.setIntervalMining({ interval: 0 });
    await client.setAutomine(true);

    assert.deepEqual([status.pending, status.queued], [1, 0]);
    assert.equal(Object.values(Object.values(content.pending)[0])[0].hash, hash);
    assert.match(Object.values(Object.values(summary.pending)[0])[0], /5 wei/);
    assert.equal((await client.getTxpoolStatus()).pending, 0);
  });

  test(`${mode}: what this chain has no use for is refused with a reason`, async () => {
    await assert.rejects(client.setMinGasPrice({ gasPrice: 1n }), /setNextBlockBaseFeePerGas/);
  });
}
