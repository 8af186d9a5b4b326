// Sends the transactions of plan.json and writes the stack traces of those that fail to found.json.

const fs = require("fs");
const hre = require("hardhat");

const line = (entry) => {
  const at = entry.sourceReference;
  return at ? `${at.sourceName}:${at.line}` : null;
};

const answer = (error) => {
  const trace = error.stackTrace;
  if (!trace) return null;
  return {
    lines: trace.slice(-8).map(line), // recursion has hundreds
    text: error.message.replace("VM Exception while processing transaction: ", ""),
  };
};

async function main() {
  const call = (method, ...params) => hre.network.provider.request({ method, params });
  const [from] = await call("eth_accounts");
  const send = ({ to, ...rest }) =>
    call("eth_sendTransaction", to ? { from, to, ...rest } : { from, ...rest });
  const plan = JSON.parse(fs.readFileSync("plan.json"));
  for (const each of plan.deployments) await send(each);
  const found = {};
  for (const [name, transactions] of Object.entries(plan.cases)) {
    const snapshot = await call("evm_snapshot");
    for (const each of transactions.slice(0, -1)) await send(each);
    try {
      await send(transactions[transactions.length - 1]);
      found[name] = { lines: [], text: "not a failure" };
    } catch (error) {
      found[name] = answer(error);
    }
    await call("evm_revert", snapshot);
  }
  fs.writeFileSync("found.json", JSON.stringify(found));
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error);
    process.exit(1);
  }
);
