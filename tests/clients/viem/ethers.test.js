// What ethers and viem send without fee options, and what they sign.

import assert from "node:assert/strict";
import test from "node:test";

import { JsonRpcProvider, Wallet, verifyTypedData } from "ethers";
import { createPublicClient, createWalletClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

const url = process.env.DEVCHAIN_URL;
const isRootstock = process.env.DEVCHAIN_RULES === "rootstock";
// Its base fee is 0: ethers takes that for none. The node chooses type 0 for requests without fees.
const isNext = process.env.DEVCHAIN_RULES === "next";
const KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const TO = "0x00000000000000000000000000000000000000cc";
const provider = new JsonRpcProvider(url, undefined, { cacheTimeout: -1 });

test("ethers: transactions without fees, signed here and there", async () => {
  const remote = await provider.getSigner();
  for (const signer of [remote, new Wallet(KEY, provider)]) {
    const receipt = await (await signer.sendTransaction({ to: TO, value: 5n })).wait();
    assert.equal(receipt.status, 1);
    assert.equal(receipt.type, isRootstock || isNext ? 0 : 2);
  }
});

test("ethers: transactions of every type", { skip: isRootstock }, async () => {
  const wallet = new Wallet(KEY, provider);
  for (const type of [0, 1, 2]) {
    const receipt = await (await wallet.sendTransaction({ to: TO, value: 5n, type })).wait();
    assert.deepEqual([receipt.status, receipt.type], [1, type]);
  }
});

test("ethers: a delegation of its own and one that the node sends", { skip: isRootstock }, async () => {
  const wallet = new Wallet(KEY, provider);
  const nonce = await wallet.getNonce();
  const own = await wallet.authorize({ address: TO, nonce: nonce + 1 });
  const sent = await wallet.sendTransaction({
    type: 4, to: wallet.address, authorizationList: [own],
  });
  assert.equal((await sent.wait()).type, 4);
  assert.equal(await provider.getCode(wallet.address), "0xef0100" + TO.slice(2));
});

test("ethers: fee data", async () => {
  const fees = await provider.getFeeData();
  assert.ok(fees.gasPrice >= 0n);
  assert.equal(fees.maxFeePerGas === null, isRootstock || isNext);
});

test("ethers: typed data signed by the node", async () => {
  const signer = await provider.getSigner();
  const domain = { name: "Vault", version: "1", chainId: 1, verifyingContract: TO };
  const types = { Order: [{ name: "owner", type: "address" }, { name: "parts", type: "uint256[2]" }] };
  const order = { owner: TO, parts: [1n, 2n] };

  const signature = await signer.signTypedData(domain, types, order);

  assert.equal(verifyTypedData(domain, types, order, signature), await signer.getAddress());
});

test("viem: transactions without fees, signed here and there", async () => {
  const transport = http(url);
  const reader = createPublicClient({ transport });
  const chain = { id: await reader.getChainId(), name: "devchain", rpcUrls: { default: { http: [url] } },
    nativeCurrency: { name: "Coin", symbol: "COIN", decimals: 18 } };
  const [remote] = await reader.request({ method: "eth_accounts" });
  for (const account of [remote, privateKeyToAccount(KEY)]) {
    const client = createWalletClient({ account, chain, transport });
    const hash = await client.sendTransaction({ to: TO, value: 5n });
    const receipt = await reader.waitForTransactionReceipt({ hash });
    assert.equal(receipt.status, "success");
    const isLegacy = isRootstock || (isNext && account === remote);
    assert.equal(receipt.type, isLegacy ? "legacy" : "eip1559");
  }
});
