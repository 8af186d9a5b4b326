import assert from "node:assert/strict";
import test from "node:test";

import { WebSocketProvider, parseEther } from "ethers";
import { createPublicClient, createTestClient, webSocket } from "viem";

const url = process.env.DEVCHAIN_URL.replace("http", "ws");
const TOPIC = "0x" + "11".repeat(32);
// PUSH32 topic, PUSH1 0, PUSH1 0, LOG1, STOP: the constructor leaves a contract that logs.
const RUNTIME = "7f" + TOPIC.slice(2) + "60006000a100";
const INIT = "0x" + "6027" + "80600b6000396000f3" + RUNTIME;

/** What arrives through a listener until there are `count`. */
function arriving(listen, count) {
  return new Promise((resolve) => {
    const found = [];
    listen((each) => {
      found.push(each);
      if (found.length === count) resolve(found);
    });
  });
}

test("ethers hears of blocks, transactions and logs", async () => {
  const provider = new WebSocketProvider(url);
  const signer = await provider.getSigner();
  const created = await (await signer.sendTransaction({ data: INIT })).wait();
  const blocks = arriving((heard) => provider.on("block", heard), 2);
  const pending = arriving((heard) => provider.on("pending", heard), 1);
  const filter = { address: created.contractAddress, topics: [TOPIC] };
  const logs = arriving((heard) => provider.on(filter, heard), 1);
  await provider.send("eth_blockNumber", []); // the subscriptions before it are made

  const sent = await signer.sendTransaction({ to: created.contractAddress });
  await provider.send("evm_mine", []);

  const receipt = await sent.wait();
  assert.deepEqual(await blocks, [receipt.blockNumber, receipt.blockNumber + 1]);
  assert.deepEqual(await pending, [sent.hash]);
  assert.equal((await logs)[0].transactionHash, sent.hash);
  await provider.destroy();
});

test("viem watches blocks, pending transactions and logs that a revert takes back", async () => {
  const transport = webSocket(url, { keepAlive: false, reconnect: false });
  const client = createPublicClient({ transport });
  const tester = createTestClient({ mode: "hardhat", transport });
  const [from, to] = await client.request({ method: "eth_accounts" });
  const send = (fields) =>
    client.request({ method: "eth_sendTransaction", params: [{ from, gas: "0x30d40", ...fields }] });
  const made = await client.getTransactionReceipt({ hash: await send({ data: INIT }) });
  const address = made.contractAddress;

  let unwatch = [];
  const blocks = arriving((onBlock) => unwatch.push(client.watchBlocks({ onBlock })), 2);
  const pending = arriving(
    (onTransactions) => unwatch.push(client.watchPendingTransactions({ onTransactions })),
    1,
  );
  const logs = arriving((heard) => {
    const onLogs = (all) => all.forEach(heard);
    unwatch.push(client.watchEvent({ address, onLogs }));
  }, 2);
  const snapshot = await tester.snapshot();

  const hash = await send({ to: address });
  await tester.revert({ id: snapshot });
  await send({ to, value: "0x" + parseEther("1").toString(16) });

  assert.equal((await blocks).length, 2);
  assert.deepEqual((await pending)[0], [hash]);
  const seen = (await logs).map((log) => [log.transactionHash, log.removed]);
  assert.deepEqual(seen, [
    [hash, false],
    [hash, true],
  ]);
  unwatch.forEach((stop) => stop());
  (await transport({}).value.getRpcClient()).close();
});
