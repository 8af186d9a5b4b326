// OpenZeppelin's contracts and tests are where npm has put them.

const path = require("path");

const package = path.dirname(require.resolve("zeppelin-solidity/package.json"));

require("babel-register")({
  presets: ["es2015", "stage-2", "stage-3"].map((name) => require.resolve(`babel-preset-${name}`)),
  ignore: (file) => !file.startsWith(package) || file.slice(package.length).includes("node_modules"),
});
require("babel-polyfill");

module.exports = {
  contracts_directory: path.join(package, "contracts"),
  contracts_build_directory: path.join(__dirname, "build"),
  migrations_directory: path.join(package, "migrations"),
  test_directory: path.join(package, "test"),
  networks: {
    node: { host: "127.0.0.1", port: Number(process.env.PORT), network_id: "*", gas: 6_000_000 },
  },
  mocha: { reporter: process.env.MOCHA_REPORTER || "spec" },
};
