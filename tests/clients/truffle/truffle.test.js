// How projects of ganache's time test: Truffle's contract objects, web3.js 1 and 4.

const assert = require("node:assert/strict");
const { test } = require("node:test");

const contract = require("@truffle/contract");
const { Web3 } = require("web3");
const OldWeb3 = require("web3-1");

// Compiled already, so that this project needs no compiler.
const artifact = require("../../../examples/contracts/Vault.json");

const url = process.env.DEVCHAIN_URL;
const isNext = process.env.DEVCHAIN_RULES === "next";
const GANACHE_FIRST = "0x90F8bf6A479f320ead074411a4B0e7944Ea8c9C1";
const DAY = 24 * 60 * 60;

/** What a promise is rejected with. */
const failure = (promise) => promise.then(() => assert.fail("it succeeded"), (error) => error);

async function deployed() {
  const web3 = new OldWeb3(url);
  const [owner, other] = await web3.eth.getAccounts();
  const Vault = contract({ contractName: "Vault", abi: artifact.abi, bytecode: artifact.bytecode });
  Vault.setProvider(web3.currentProvider);
  Vault.defaults({ from: owner });
  return { web3, owner, other, vault: await Vault.new(DAY) };
}

test("Truffle: deploys, sends, calls, decodes logs", async () => {
  const { web3, owner, other, vault } = await deployed();
  assert.equal(owner, GANACHE_FIRST);
  assert.equal(await web3.eth.getChainId(), 1337);

  const sent = await vault.deposit({ from: other, value: 5 });

  assert.equal(sent.receipt.status, true);
  assert.equal(sent.logs[0].event, "Deposited");
  assert.equal(sent.logs[0].args.amount.toNumber(), 5);
  assert.equal((await vault.deposits(other)).toNumber(), 5);
});

test("Truffle: a revert has its reason, whether it is estimated or mined", async () => {
  const { other, vault } = await deployed();

  const estimated = await failure(vault.deposit({ from: other }));
  assert.match(estimated.message, /revert.*nothing to deposit/);

  const mined = await failure(vault.deposit({ from: other, gas: 200000 }));
  assert.equal(mined.name, "StatusError");
  assert.equal(mined.reason, "nothing to deposit");
  assert.equal(mined.receipt.status, false);
  assert.match(mined.message, /revert with reason "nothing to deposit"|nothing to deposit/);
});

test("Truffle: time is moved as in its tests", async () => {
  const { web3, vault } = await deployed();
  await vault.deposit({ value: 5 });
  const send = (method, ...params) =>
    new Promise((resolve, reject) =>
      web3.currentProvider.send({ jsonrpc: "2.0", id: 1, method, params }, (error, answer) =>
        error ? reject(error) : resolve(answer.result),
      ),
    );
  const snapshot = await send("evm_snapshot");
  assert.ok((await send("evm_increaseTime", DAY)) >= DAY);
  assert.equal(await send("evm_mine"), "0x0");

  assert.equal((await vault.withdraw()).receipt.status, true);

  assert.equal(await send("evm_revert", snapshot), true);
  assert.equal((await vault.deposits(GANACHE_FIRST)).toNumber(), 5);
});

test("web3.js 1: the message of a revert is ganache's", async () => {
  const { web3, other, vault } = await deployed();
  const plain = new web3.eth.Contract(artifact.abi, vault.address);

  const error = await failure(plain.methods.deposit().call({ from: other }));

  assert.equal(
    error.message,
    "Returned error: VM Exception while processing transaction: revert nothing to deposit",
  );
});

test("web3.js 4: sends, and decodes reverts", async () => {
  const { other, vault } = await deployed();
  const web3 = new Web3(url);
  const plain = new web3.eth.Contract(artifact.abi, vault.address);

  // By itself it sends type 2, which Rootstock has under its next upgrade alone.
  const legacy = { from: other, ...(isNext ? {} : { type: "0x0" }) };
  const receipt = await plain.methods.deposit().send({ ...legacy, value: "7" });
  assert.equal(receipt.events.Deposited.returnValues.amount, 7n);
  assert.equal(receipt.type, isNext ? 2n : 0n);

  const called = await failure(plain.methods.deposit().call({ from: other }));
  assert.match(called.innerError?.message ?? called.message, /revert nothing to deposit/);
  const sent = await failure(plain.methods.deposit().send({ ...legacy, gas: "200000" }));
  assert.match(sent.message, /revert/);
});
