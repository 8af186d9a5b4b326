const { expect } = require("chai");
const { ethers } = require("hardhat");
const { loadFixture, time } = require("@nomicfoundation/hardhat-network-helpers");

// Compiled already, so that this project needs no compiler.
const { abi, bytecode } = require("../../../../examples/contracts/Vault.json");

const DAY = 24 * 60 * 60;
// PUSH1 0, PUSH1 0, MSTORE8 and so on: reverts with Panic(0x11).
const PANIC =
  "0x" + "7f4e487b71" + "00".repeat(28) + "600052" + "6011600452" + "60246000fd";

describe("matchers", function () {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    const vault = await (await ethers.getContractFactory(abi, bytecode)).deploy(DAY);
    return { owner, alice, vault };
  }

  it("see events and their arguments", async function () {
    const { alice, vault } = await loadFixture(deployed);
    await expect(vault.connect(alice).deposit({ value: 5n }))
      .to.emit(vault, "Deposited")
      .withArgs(alice.address, 5n);
    await expect(alice.sendTransaction({ to: alice })).not.to.emit(vault, "Deposited");
  });

  it("see reverts of calls, estimates and transactions", async function () {
    const { alice, vault } = await loadFixture(deployed);
    const empty = vault.connect(alice);
    await expect(empty.deposit()).to.be.reverted;
    await expect(empty.deposit()).to.be.revertedWith("nothing to deposit");
    await expect(empty.deposit.staticCall()).to.be.revertedWith("nothing to deposit");
    await expect(empty.deposit.estimateGas()).to.be.revertedWith("nothing to deposit");
    // With a gas limit nothing is estimated: the transaction itself is mined and fails.
    const limited = { gasLimit: 200000 };
    await expect(empty.deposit(limited)).to.be.revertedWith("nothing to deposit");
    await expect(empty.deposit(limited)).to.be.rejectedWith(
      "VM Exception while processing transaction: reverted with reason string 'nothing to deposit'",
    );
    await expect(empty.withdraw(limited)).to.be.revertedWithCustomError(vault, "NotOwner");
    await expect(empty.withdraw())
      .to.be.revertedWithCustomError(vault, "NotOwner")
      .withArgs(alice.address);
    await expect(vault.connect(alice).deposit({ value: 1n })).not.to.be.reverted;
  });

  it("see panics and reverts without a reason", async function () {
    const [signer] = await ethers.getSigners();
    const panicking = { data: PANIC, gasLimit: 100000 };
    await expect(signer.call(panicking)).to.be.revertedWithPanic(0x11);
    await expect(signer.call({ data: "0x60006000fd" })).to.be.revertedWithoutReason(ethers);
  });

  it("see balances change", async function () {
    const { owner, alice, vault } = await loadFixture(deployed);
    await expect(vault.connect(alice).deposit({ value: 7n })).to.changeEtherBalances(
      [alice, vault],
      [-7n, 7n],
    );
    await time.increase(DAY);
    await expect(vault.withdraw()).to.changeEtherBalance(owner, 7n);
  });
});
