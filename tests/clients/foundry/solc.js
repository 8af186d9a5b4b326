#!/usr/bin/env node
// The compiler as forge calls it: `--version`, or standard JSON through stdin and stdout.

const solc = require("solc");

if (process.argv.includes("--version")) {
  const [version] = solc.version().split(".Emscripten");
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}.Linux.g++`);
} else {
  let input = "";
  process.stdin.on("data", (text) => (input += text));
  process.stdin.on("end", () => process.stdout.write(solc.compile(input)));
}
