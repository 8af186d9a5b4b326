#!/usr/bin/env node
// What forge needs of a native solc, on top of the compiler that comes with npm.

const fs = require("node:fs");
const path = require("node:path");
const solc = require("solc");

if (process.argv.includes("--standard-json")) {
  const base = process.argv.indexOf("--base-path");
  const root = base < 0 ? process.cwd() : process.argv[base + 1];
  const read = (file) => {
    try {
      return { contents: fs.readFileSync(path.resolve(root, file), "utf8") };
    } catch (error) {
      return { error: error.message };
    }
  };
  process.stdout.write(solc.compile(fs.readFileSync(0, "utf8"), { import: read }));
} else {
  const version = solc.version().replace(".Emscripten.clang", ".Linux.g++");
  process.stdout.write(`solc, the solidity compiler commandline interface\nVersion: ${version}\n`);
}
