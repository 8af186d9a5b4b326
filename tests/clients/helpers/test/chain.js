const { expect } = require("chai");
const { ethers } = require("hardhat");
const helpers = require("@nomicfoundation/hardhat-network-helpers");

const { time } = helpers;
const EMPTY = "0x00000000000000000000000000000000000000ee";
const block = (tag = "latest") => ethers.provider.getBlock(tag);

describe("blocks", function () {
  it("are mined by count, at an interval, and up to a number", async function () {
    const before = await block();

    await helpers.mine();
    await helpers.mine(3, { interval: 15 });
    const between = await block();
    await helpers.mineUpTo(before.number + 200);

    expect(between.number).to.equal(before.number + 4);
    const previous = await block(between.number - 1);
    expect(between.timestamp - previous.timestamp).to.equal(15);
    expect((await block()).number).to.equal(before.number + 200);
    await expect(helpers.mineUpTo(1)).to.be.rejectedWith("Invalid block number");
  });

  it("come in great numbers", async function () {
    const before = await block();

    await helpers.mine(1000, { interval: 60 });

    const after = await block();
    expect(after.number).to.equal(before.number + 1000);
    expect(after.timestamp - before.timestamp).to.be.at.least(999 * 60);
  });

  it("have the coinbase that was asked for", async function () {
    await helpers.setCoinbase(EMPTY);
    await helpers.mine();

    expect((await ethers.provider.send("eth_getBlockByNumber", ["latest", false])).miner).to.equal(EMPTY);
  });

  it("have the base fee and random value that were asked for", async function () {
    if (process.env.DEVCHAIN_RULES === "rootstock") this.skip(); // its blocks have neither
    await helpers.setNextBlockBaseFeePerGas(7n * 10n ** 9n);
    await helpers.setPrevRandao(42);
    await helpers.mine();

    const made = await ethers.provider.send("eth_getBlockByNumber", ["latest", false]);
    expect(BigInt(made.baseFeePerGas)).to.equal(7n * 10n ** 9n);
    expect(BigInt(made.mixHash)).to.equal(42n);
  });

  it("have the gas limit that was asked for", async function () {
    await helpers.setBlockGasLimit(12345678);
    await helpers.mine();

    expect((await block()).gasLimit).to.equal(12345678n);
  });
});

describe("time", function () {
  it("advances by the given seconds", async function () {
    const start = await time.latest();

    await time.increase(100);
    await time.increaseTo(start + 500);
    expect(await time.latest()).to.equal(start + 500);

    await time.setNextBlockTimestamp(start + 1000);
    await helpers.mine();
    expect(await time.latest()).to.equal(start + 1000);
    await expect(time.increaseTo(start)).to.be.rejected;
  });

  it("counts blocks", async function () {
    const number = await time.latestBlock();

    await time.advanceBlock(2);

    expect(await time.latestBlock()).to.equal(number + 2);
  });
});

describe("snapshots", function () {
  async function rich() {
    await helpers.setBalance(EMPTY, 5n);
    return { address: EMPTY };
  }

  for (const turn of ["first", "second"]) {
    it(`load a fixture, ${turn} time`, async function () {
      const { address } = await helpers.loadFixture(rich);
      expect(await ethers.provider.getBalance(address)).to.equal(5n);
      await helpers.setBalance(address, 6n);
    });
  }

  it("are restored more than once", async function () {
    const snapshot = await helpers.takeSnapshot();
    for (const balance of [7n, 8n]) {
      await helpers.setBalance(EMPTY, balance);
      await snapshot.restore();
      expect(await ethers.provider.getBalance(EMPTY)).not.to.equal(balance);
    }
  });
});

describe("reset", function () {
  it("goes back to the first block", async function () {
    await helpers.mine(3);

    await helpers.reset();

    expect(await time.latestBlock()).to.equal(0);
  });
});
