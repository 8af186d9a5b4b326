const { expect } = require("chai");
const { ethers } = require("hardhat");

// Compiled already, so that this project needs no compiler; see ../contracts/Vault.sol.
const { abi, bytecode } = require("../../contracts/Vault.json");

const DAY = 24 * 60 * 60;

describe("Vault", function () {
  let owner, alice, vault, snapshot;

  before(async function () {
    [owner, alice] = await ethers.getSigners();
    const factory = await ethers.getContractFactory(abi, bytecode);
    vault = await factory.deploy(DAY);
    await vault.waitForDeployment();
  });

  beforeEach(async function () {
    snapshot = await ethers.provider.send("evm_snapshot", []);
  });

  afterEach(async function () {
    expect(await ethers.provider.send("evm_revert", [snapshot])).to.equal(true);
  });

  it("keeps a deposit and announces it", async function () {
    await expect(vault.connect(alice).deposit({ value: 5n }))
      .to.emit(vault, "Deposited")
      .withArgs(alice.address, 5n);
    expect(await vault.deposits(alice.address)).to.equal(5n);
  });

  it("refuses with a text", async function () {
    await expect(vault.connect(alice).deposit()).to.be.revertedWith("nothing to deposit");
    await expect(vault.withdraw()).to.be.revertedWith("the vault is still closed");
  });

  it("refuses with a custom error", async function () {
    await expect(vault.connect(alice).withdraw())
      .to.be.revertedWithCustomError(vault, "NotOwner")
      .withArgs(alice.address);
  });

  it("pays its owner after a day", async function () {
    await (await vault.connect(alice).deposit({ value: 7n })).wait();
    await ethers.provider.send("evm_increaseTime", [DAY]);
    await ethers.provider.send("evm_mine", []);
    await expect(vault.withdraw()).to.changeEtherBalance(owner, 7n);
  });
});
