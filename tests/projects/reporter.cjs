// A mocha reporter: one line of JSON for each test, in the file REPORT.

const fs = require("node:fs");

module.exports = class {
  constructor(runner) {
    fs.writeFileSync(process.env.REPORT, "");
    const write = (outcome) => (test, error) =>
      fs.appendFileSync(
        process.env.REPORT,
        JSON.stringify({ name: test.fullTitle(), outcome, reason: error ? String(error) : "" }) + "\n",
      );
    runner.on("pass", write("passed"));
    runner.on("fail", write("failed"));
  }
};
