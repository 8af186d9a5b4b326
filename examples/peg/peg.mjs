// Move bitcoins to Rootstock and back over JSON-RPC: `node examples/peg/peg.mjs`.
//
// Start a node with `devchain start` first. DEVCHAIN_URL names another one.

import assert from "node:assert/strict";

const url = process.env.DEVCHAIN_URL ?? "http://127.0.0.1:4444";

async function call(method, ...params) {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { result, error } = await (await fetch(url, { method: "POST", headers, body })).json();
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
const balance = async (account) => BigInt(await call("eth_getBalance", account, "latest"));
const bitcoins = (satoshis) => `${Number(satoshis) / 1e8} BTC`;

const [alice] = await call("eth_accounts");
const before = await balance(alice);
const pegIn = await call("devchain_pegIn", alice, 150_000_000); // satoshis
assert.equal((await balance(alice)) - before, 15n * 10n ** 17n);
console.log(`1.5 BTC locked by ${pegIn.txid}: 1.5 RBTC received`);

const pegOut = await call("devchain_pegOut", alice, 100_000_000);
const paid = await call("devchain_btcTransaction", pegOut.txid);
console.log(`${bitcoins(pegOut.satoshis)} paid by ${paid.txid}`);
assert.equal(Number(paid.confirmations), 3);

const { federations } = await call("devchain_pegStatus");
console.log(`the federation has ${bitcoins(federations[0].satoshis)}`);
