// A peg-in and a peg-out as 2wp-api and flyover-sdk follow them; the node runs with --automatic-peg.

import assert from "node:assert/strict";
import test from "node:test";

import stateParser from "@rsksmart/bridge-state-data-parser";
import BridgeTransactionParser from "@rsksmart/bridge-transaction-parser";
import flyover from "@rsksmart/flyover-sdk";
import pmt from "@rsksmart/pmt-builder";
import abis from "@rsksmart/rsk-precompiled-abis";
import { Contract, JsonRpcProvider, parseEther } from "ethers";

const url = process.env.DEVCHAIN_URL;
const rpcport = Number(process.env.DEVCHAIN_BITCOIN_PORT);
const login = { rpcuser: "devchain", rpcpassword: "devchain" };
const bitcoind = new flyover.BitcoindRpcDataSource({ rpcconnect: "127.0.0.1", rpcport, ...login });
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });
const parser = new BridgeTransactionParser(provider);
const bridge = new Contract(abis.bridge.address, abis.bridge.abi, provider);

async function bitcoin(method, ...params) {
  const body = JSON.stringify({ method, params });
  const authorization = `Basic ${btoa("devchain:devchain")}`;
  const response = await fetch(`http://127.0.0.1:${rpcport}`, {
    method: "POST",
    headers: { authorization },
    body,
  });
  const { result, error } = await response.json();
  assert.equal(error, null);
  return result;
}

const mineBitcoin = async (blocks) =>
  bitcoin("generatetoaddress", blocks, await bitcoin("getnewaddress"));

// The transactions to the Bridge from a block on, with their method and events.
async function bridgeTransactions(first) {
  const numbers = [];
  for (let number = first; number <= (await provider.getBlockNumber()); number += 1) {
    numbers.push(number);
  }
  const blocks = await Promise.all(
    numbers.map((number) => parser.getBridgeTransactionsInThisBlock(number)),
  );
  return blocks.flat();
}

test("a peg-in is registered with the proof that flyover-sdk builds", async () => {
  const first = (await provider.getBlockNumber()) + 1;
  const federation = await bridge.getFederationAddress();
  const txid = await bitcoin("sendtoaddress", federation, 1.5);
  await mineBitcoin(3);

  const block = await bitcoind.getBlockFromTransaction(txid);
  const proof = pmt.buildPMT(block.transactionHashes, txid);
  const found = await bridgeTransactions(first);
  const { method, events } = found.find((each) => each.method.name === "registerBtcTransaction");

  assert.equal(method.arguments.pmt, `0x${proof.hex}`);
  assert.equal(Number(method.arguments.height), block.height);
  assert.equal(events[0].name, "pegin_btc");
  assert.equal(events[0].arguments.btcTxHash, `0x${txid}`);
  assert.equal(await bridge.isBtcTxHashAlreadyProcessed(txid), true);
  assert.equal(await provider.getBalance(events[0].arguments.receiver), parseEther("1.5"));
});

test("a peg-out is followed by the state and the events of the Bridge", async () => {
  const first = (await provider.getBlockNumber()) + 1;
  const signer = await provider.getSigner();
  const request = await signer.sendTransaction({ to: bridge.target, value: parseEther("1") });
  await request.wait();

  for (let block = 0; block < 60; block += 1) await provider.send("evm_mine", []);
  const events = (await bridgeTransactions(first)).flatMap((each) => each.events);
  const event = (name) => events.find((each) => each.name === name).arguments;
  const raw = event("release_btc").btcRawTransaction;
  const [txid] = await bitcoin("getrawmempool");
  await mineBitcoin(1);

  const state = await stateParser.getBridgeState(url);
  const paid = await bitcoind.getTransaction(txid);
  assert.equal(event("release_request_received").sender, request.from);
  assert.equal(event("pegout_confirmed").btcTxHash, event("release_requested").btcTxHash);
  assert.equal(`0x${await bitcoind.getTransactionAsHex(txid)}`, raw);
  assert.equal(paid.isConfirmed, true);
  assert.equal(Math.round(paid.vout[0].valueInSats), 99_962_800);
  assert.deepEqual([state.pegoutRequests.length, state.pegoutsWaitingForConfirmations.length], [0, 0]);
  provider.destroy();
});
