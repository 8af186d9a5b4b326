const { expect } = require("chai");
const { ethers } = require("hardhat");
const helpers = require("@nomicfoundation/hardhat-network-helpers");

const SOME = "0x00000000000000000000000000000000000000aa";
const STOP = "0x00";

describe("accounts", function () {
  it("have the balance, nonce, code and storage they are given", async function () {
    await helpers.setBalance(SOME, ethers.parseEther("3"));
    await helpers.setNonce(SOME, 9);
    await helpers.setCode(SOME, STOP);
    await helpers.setStorageAt(SOME, 2, 77);

    expect(await ethers.provider.getBalance(SOME)).to.equal(ethers.parseEther("3"));
    expect(await ethers.provider.getTransactionCount(SOME)).to.equal(9);
    expect(await ethers.provider.getCode(SOME)).to.equal(STOP);
    expect(BigInt(await helpers.getStorageAt(SOME, 2))).to.equal(77n);
  });

  it("send when they are impersonated, and only then", async function () {
    const [, receiver] = await ethers.getSigners();
    const whale = "0x00000000000000000000000000000000000000bb";
    await helpers.setBalance(whale, ethers.parseEther("10"));
    await helpers.impersonateAccount(whale);
    const signer = await ethers.getSigner(whale);

    await expect(signer.sendTransaction({ to: receiver, value: 5n })).to.changeEtherBalances(
      [whale, receiver],
      [-5n, 5n],
    );
    await helpers.stopImpersonatingAccount(whale);

    await expect(signer.sendTransaction({ to: receiver, value: 5n })).to.be.rejected;
  });

  it("lose a waiting transaction that is dropped", async function () {
    const [sender, receiver] = await ethers.getSigners();
    await ethers.provider.send("evm_setAutomine", [false]);
    const waiting = await sender.sendTransaction({ to: receiver, value: 5n });

    expect(await helpers.dropTransaction(waiting.hash)).to.equal(true);
    await ethers.provider.send("evm_setAutomine", [true]);

    expect(await ethers.provider.getTransaction(waiting.hash)).to.equal(null);
  });
});
