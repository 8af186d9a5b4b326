// An auction, tested through the connections of Hardhat 3.

import { expect } from "chai";
import { network } from "hardhat";

const { ethers, networkHelpers, provider } = await network.create();
const { loadFixture, time } = networkHelpers;

async function deployed() {
  const [seller, alice, bob] = await ethers.getSigners();
  const coin = await ethers.deployContract("Coin");
  const auction = await ethers.deployContract("Auction", [coin, 3600n]);
  for (const each of [alice, bob]) {
    await coin.transfer(each, 100n);
    await coin.connect(each).approve(auction, ethers.MaxUint256);
  }
  return { seller, alice, bob, coin, auction };
}

describe("Auction", () => {
  it("ends an hour after the block that created it", async () => {
    const { auction } = await loadFixture(deployed);
    const { blockNumber } = await auction.deploymentTransaction().wait();
    const { timestamp } = await ethers.provider.getBlock(blockNumber);
    expect(await auction.end()).to.equal(BigInt(timestamp) + 3600n);
  });

  it("takes a bid and its coins", async () => {
    const { auction, coin, alice } = await loadFixture(deployed);
    const bid = auction.connect(alice).bid(10n);
    await expect(bid).to.emit(auction, "Raised").withArgs(alice, 10n, 0n);
    await expect(bid).to.changeTokenBalances(ethers, coin, [alice, auction], [-10n, 10n]);
  });

  it("pays back the bid that was outdone", async () => {
    const { auction, coin, alice, bob } = await loadFixture(deployed);
    await auction.connect(alice).bid(10n);
    await auction.connect(bob).bid(11n);
    expect(await coin.balanceOf(alice)).to.equal(100n);
    expect((await auction.bids()).map((each) => [each.bidder, each.amount])).to.deep.equal([
      [alice.address, 10n],
      [bob.address, 11n],
    ]);
  });

  it("refuses a bid that is too low", async () => {
    const { auction, alice, bob } = await loadFixture(deployed);
    await auction.connect(alice).bid(10n);
    await expect(auction.connect(bob).bid(10n))
      .to.be.revertedWithCustomError(auction, "TooLow")
      .withArgs(10n, 11n);
  });

  it("passes on the error of the coin", async () => {
    const { auction, coin, alice } = await loadFixture(deployed);
    await expect(auction.connect(alice).bid(101n))
      .to.be.revertedWithCustomError(coin, "ERC20InsufficientBalance")
      .withArgs(alice, 100n, 101n);
  });

  it("closes after its end only", async () => {
    const { auction, alice } = await loadFixture(deployed);
    await auction.connect(alice).bid(10n);
    await expect(auction.close()).to.be.revertedWithCustomError(auction, "NotEnded");
    await time.increase(3600);
    await expect(auction.close()).to.emit(auction, "Sold");
    await expect(auction.close()).to.be.revertedWith("closed already");
  });

  it("refuses a bid in the second of its end", async () => {
    const { auction, alice } = await loadFixture(deployed);
    const end = await auction.end();
    await time.setNextBlockTimestamp(end);
    await expect(auction.connect(alice).bid(1n))
      .to.be.revertedWithCustomError(auction, "Ended")
      .withArgs(end, end);
  });

  it("takes a bid in the second before its end", async () => {
    const { auction, alice } = await loadFixture(deployed);
    await time.setNextBlockTimestamp((await auction.end()) - 1n);
    await auction.connect(alice).bid(1n);
    expect((await auction.highest()).time).to.equal((await auction.end()) - 1n);
  });

  it("takes an allowance by signature", async () => {
    const { auction, coin, seller } = await loadFixture(deployed);
    const { chainId } = await ethers.provider.getNetwork();
    const where = await coin.getAddress();
    const domain = { name: "Coin", version: "1", chainId, verifyingContract: where };
    const fields = ["owner", "spender", "value", "nonce", "deadline"];
    const Permit = fields.map((name, index) => ({ name, type: index < 2 ? "address" : "uint256" }));
    const values = [seller.address, await auction.getAddress(), 7n, 0n, ethers.MaxUint256];
    const signed = await seller.signTypedData(
      domain,
      { Permit },
      Object.fromEntries(fields.map((name, index) => [name, values[index]])),
    );
    const { v, r, s } = ethers.Signature.from(signed);
    await coin.permit(values[0], values[1], 7n, ethers.MaxUint256, v, r, s);
    await auction.bid(7n);
    expect(await coin.balanceOf(auction)).to.equal(7n);
  });
});

describe("the network", () => {
  it("keeps transactions until a block is mined", async () => {
    const { auction, alice, bob } = await loadFixture(deployed);
    await provider.request({ method: "evm_setAutomine", params: [false] });
    const gas = { gasLimit: 300_000n };
    const sent = [
      await auction.connect(alice).bid(10n, gas),
      await auction.connect(bob).bid(20n, gas),
    ];
    expect((await auction.bids()).length).to.equal(0);
    await networkHelpers.mine();
    await provider.request({ method: "evm_setAutomine", params: [true] });
    const receipts = await Promise.all(sent.map((each) => each.wait()));
    expect(receipts.map((each) => each.index)).to.deep.equal([0, 1]);
    expect((await auction.highest()).bidder).to.equal(bob.address);
  });

  it("mines a failed transaction and says so in its receipt", async () => {
    const { auction, alice } = await loadFixture(deployed);
    await provider.request({ method: "evm_setAutomine", params: [false] });
    const sent = await auction.connect(alice).bid(0n, { gasLimit: 300_000n });
    await networkHelpers.mine();
    await provider.request({ method: "evm_setAutomine", params: [true] });
    const receipt = await ethers.provider.getTransactionReceipt(sent.hash);
    expect(receipt.status).to.equal(0);
  });

  it("traces a call into another contract", async () => {
    const { auction, alice } = await loadFixture(deployed);
    const sent = await auction.connect(alice).bid(10n);
    const trace = await provider.request({
      method: "debug_traceTransaction",
      params: [sent.hash, { disableStorage: true, disableStack: true }],
    });
    expect(trace.failed).to.equal(false);
    expect(Math.max(...trace.structLogs.map((each) => each.depth))).to.equal(2);
  });

  it("finds past logs", async () => {
    const { auction, alice, bob } = await loadFixture(deployed);
    await auction.connect(alice).bid(10n);
    await auction.connect(bob).bid(20n);
    const found = await auction.queryFilter(auction.filters.Raised(null, null, 1n));
    expect(found.map((each) => each.args.bidder)).to.deep.equal([bob.address]);
  });

  it("plays any account", async () => {
    const { coin, alice } = await loadFixture(deployed);
    const whale = ethers.getAddress(`0x${"11".repeat(20)}`);
    await networkHelpers.setBalance(whale, 10n ** 18n);
    await coin.transfer(whale, 5n);
    await networkHelpers.impersonateAccount(whale);
    await coin.connect(await ethers.getSigner(whale)).transfer(alice, 5n);
    expect(await coin.balanceOf(alice)).to.equal(105n);
  });

  it("drops a transaction", async () => {
    const [seller] = await ethers.getSigners();
    await provider.request({ method: "evm_setAutomine", params: [false] });
    const sent = await seller.sendTransaction({ to: seller, value: 1n });
    await networkHelpers.dropTransaction(sent.hash);
    await networkHelpers.mine();
    await provider.request({ method: "evm_setAutomine", params: [true] });
    expect(await ethers.provider.getTransaction(sent.hash)).to.equal(null);
  });
});
