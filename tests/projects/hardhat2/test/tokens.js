// OpenZeppelin's tokens: ERC-20 with its extensions, ERC-4626, ERC-721, ERC-1155.

const { anyValue } = require("@nomicfoundation/hardhat-chai-matchers/withArgs");
const { loadFixture, time } = require("@nomicfoundation/hardhat-network-helpers");
const { PANIC_CODES } = require("@nomicfoundation/hardhat-chai-matchers/panic");
const { expect } = require("chai");
const { ethers } = require("hardhat");

const ZERO = ethers.ZeroAddress;
const MINTER = ethers.id("MINTER");

describe("ERC-20", () => {
  async function deployed() {
    const [owner, alice, bob] = await ethers.getSigners();
    const token = await ethers.deployContract("Token", [1_000_000n, 1000n]);
    return { token, owner, alice, bob };
  }

  it("mints the supply to its creator", async () => {
    const { token, owner } = await loadFixture(deployed);
    expect(await token.totalSupply()).to.equal(1000n);
    expect(await token.balanceOf(owner)).to.equal(1000n);
    expect([await token.name(), await token.symbol(), await token.decimals()]).to.deep.equal([
      "Token",
      "TKN",
      18n,
    ]);
  });

  it("emits the mint as a transfer when it is deployed", async () => {
    const [owner] = await ethers.getSigners();
    const token = await ethers.deployContract("Token", [10n, 5n]);
    await expect(token.deploymentTransaction())
      .to.emit(token, "Transfer")
      .withArgs(ZERO, owner.address, 5n);
  });

  it("transfers, with balances and event", async () => {
    const { token, owner, alice } = await loadFixture(deployed);
    const sent = token.transfer(alice, 10n);
    await expect(sent).to.changeTokenBalances(token, [owner, alice], [-10n, 10n]);
    await expect(sent).to.emit(token, "Transfer").withArgs(owner, alice, 10n);
  });

  it("refuses more than the balance, naming all three values", async () => {
    const { token, alice, bob } = await loadFixture(deployed);
    await expect(token.connect(alice).transfer(bob, 1n))
      .to.be.revertedWithCustomError(token, "ERC20InsufficientBalance")
      .withArgs(alice.address, 0n, 1n);
  });

  it("refuses the zero address", async () => {
    const { token } = await loadFixture(deployed);
    await expect(token.transfer(ZERO, 1n)).to.be.revertedWithCustomError(
      token,
      "ERC20InvalidReceiver",
    );
  });

  it("reports the failure of a static call", async () => {
    const { token, alice } = await loadFixture(deployed);
    await expect(token.connect(alice).transfer.staticCall(alice, 1n)).to.be.revertedWithCustomError(
      token,
      "ERC20InsufficientBalance",
    );
  });

  it("reports the failure of an estimate", async () => {
    const { token, alice } = await loadFixture(deployed);
    await expect(token.connect(alice).transfer.estimateGas(alice, 1n)).to.be.rejectedWith(
      /ERC20InsufficientBalance|revert/,
    );
  });

  it("mines a transaction that fails when its gas is given", async () => {
    const { token, alice } = await loadFixture(deployed);
    const before = await alice.getNonce();
    await expect(token.connect(alice).transfer(alice, 1n, { gasLimit: 100_000n })).to.be.reverted;
    expect(await alice.getNonce()).to.equal(before + 1);
  });

  it("spends an allowance", async () => {
    const { token, owner, alice, bob } = await loadFixture(deployed);
    await token.approve(alice, 7n);
    await token.connect(alice).transferFrom(owner, bob, 5n);
    expect(await token.allowance(owner, alice)).to.equal(2n);
    await expect(token.connect(alice).transferFrom(owner, bob, 5n))
      .to.be.revertedWithCustomError(token, "ERC20InsufficientAllowance")
      .withArgs(alice, 2n, 5n);
  });

  it("keeps an unlimited allowance", async () => {
    const { token, owner, alice, bob } = await loadFixture(deployed);
    await token.approve(alice, ethers.MaxUint256);
    await token.connect(alice).transferFrom(owner, bob, 5n);
    expect(await token.allowance(owner, alice)).to.equal(ethers.MaxUint256);
  });

  it("burns", async () => {
    const { token } = await loadFixture(deployed);
    await expect(token.burn(400n)).to.emit(token, "Transfer").withArgs(anyValue, ZERO, 400n);
    expect(await token.totalSupply()).to.equal(600n);
  });

  it("mints for a role only, up to its cap", async () => {
    const { token, alice } = await loadFixture(deployed);
    await expect(token.connect(alice).mint(alice, 1n))
      .to.be.revertedWithCustomError(token, "AccessControlUnauthorizedAccount")
      .withArgs(alice, MINTER);
    await token.grantRole(MINTER, alice);
    await token.connect(alice).mint(alice, 999_000n);
    await expect(token.connect(alice).mint(alice, 1n))
      .to.be.revertedWithCustomError(token, "ERC20ExceededCap")
      .withArgs(1_000_001n, 1_000_000n);
  });

  it("pauses", async () => {
    const { token, alice } = await loadFixture(deployed);
    await token.pause();
    await expect(token.transfer(alice, 1n)).to.be.revertedWithCustomError(token, "EnforcedPause");
    await token.unpause();
    await expect(token.transfer(alice, 1n)).not.to.be.reverted;
  });

  it("refuses a constructor's argument", async () => {
    const factory = await ethers.getContractFactory("Token");
    await expect(ethers.deployContract("Token", [0n, 0n]))
      .to.be.revertedWithCustomError(factory, "ERC20InvalidCap")
      .withArgs(0n);
  });

  it("finds its events by block and topic", async () => {
    const { token, owner, alice, bob } = await loadFixture(deployed);
    await token.transfer(alice, 1n);
    await token.transfer(bob, 2n);
    const found = await token.queryFilter(token.filters.Transfer(owner, bob));
    expect(found.map((each) => each.args.value)).to.deep.equal([2n]);
  });
});

describe("ERC-20 votes and permit", () => {
  async function deployed() {
    const [owner, alice, bob] = await ethers.getSigners();
    const token = await ethers.deployContract("VotesToken", [1000n]);
    return { token, owner, alice, bob };
  }

  async function signedPermit(token, owner, spender, value, deadline) {
    const { chainId } = await ethers.provider.getNetwork();
    const domain = {
      name: "Votes",
      version: "1",
      chainId,
      verifyingContract: await token.getAddress(),
    };
    const types = {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    };
    const nonce = await token.nonces(owner);
    const values = { owner: owner.address, spender: spender.address, value, nonce, deadline };
    return ethers.Signature.from(await owner.signTypedData(domain, types, values));
  }

  it("has the chain's id in its domain", async () => {
    const { token } = await loadFixture(deployed);
    const { chainId } = await ethers.provider.getNetwork();
    expect((await token.eip712Domain()).chainId).to.equal(chainId);
  });

  it("approves by a signature of eth_signTypedData_v4", async () => {
    const { token, owner, alice } = await loadFixture(deployed);
    const deadline = (await time.latest()) + 60;
    const { v, r, s } = await signedPermit(token, owner, alice, 5n, deadline);
    await token.connect(alice).permit(owner, alice, 5n, deadline, v, r, s);
    expect(await token.allowance(owner, alice)).to.equal(5n);
    await expect(
      token.connect(alice).permit(owner, alice, 5n, deadline, v, r, s),
    ).to.be.revertedWithCustomError(token, "ERC2612InvalidSigner");
  });

  it("refuses a signature past its deadline", async () => {
    const { token, owner, alice } = await loadFixture(deployed);
    const deadline = (await time.latest()) + 60;
    const { v, r, s } = await signedPermit(token, owner, alice, 5n, deadline);
    await time.increase(61);
    await expect(token.permit(owner, alice, 5n, deadline, v, r, s))
      .to.be.revertedWithCustomError(token, "ERC2612ExpiredSignature")
      .withArgs(deadline);
  });

  it("keeps past votes by timestamp", async () => {
    const { token, owner, alice } = await loadFixture(deployed);
    await token.delegate(owner);
    const before = await time.latest();
    await time.increase(100);
    await token.transfer(alice, 300n);
    await time.increase(100);
    expect(await token.getVotes(owner)).to.equal(700n);
    expect(await token.getPastVotes(owner, before)).to.equal(1000n);
    expect(await token.getPastTotalSupply(before)).to.equal(1000n);
  });

  it("refuses votes of the future", async () => {
    const { token, owner } = await loadFixture(deployed);
    const future = (await time.latest()) + 1000;
    await expect(token.getPastVotes(owner, future)).to.be.revertedWithCustomError(
      token,
      "ERC5805FutureLookup",
    );
  });
});

describe("ERC-4626", () => {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    const token = await ethers.deployContract("Token", [1_000_000n, 1000n]);
    const shares = await ethers.deployContract("Shares", [token]);
    await token.approve(shares, ethers.MaxUint256);
    return { token, shares, owner, alice };
  }

  it("deposits and redeems", async () => {
    const { token, shares, owner, alice } = await loadFixture(deployed);
    await expect(shares.deposit(100n, alice))
      .to.emit(shares, "Deposit")
      .withArgs(owner, alice, 100n, 100n);
    await token.transfer(shares, 100n);
    expect(await shares.previewRedeem(100n)).to.equal(199n);
    await shares.connect(alice).redeem(100n, alice, alice);
    expect(await token.balanceOf(alice)).to.equal(199n);
  });

  it("refuses more than the maximum", async () => {
    const { shares, owner } = await loadFixture(deployed);
    await expect(shares.withdraw(1n, owner, owner)).to.be.revertedWithCustomError(
      shares,
      "ERC4626ExceededMaxWithdraw",
    );
  });
});

describe("ERC-721 and ERC-1155", () => {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    const nft = await ethers.deployContract("Collectible");
    const items = await ethers.deployContract("Items");
    return { nft, items, owner, alice };
  }

  it("enumerates", async () => {
    const { nft, owner, alice } = await loadFixture(deployed);
    await nft.mint(owner, 7n);
    await nft.mint(owner, 9n);
    await nft.transferFrom(owner, alice, 7n);
    expect(await nft.tokenOfOwnerByIndex(owner, 0)).to.equal(9n);
    expect(await nft.totalSupply()).to.equal(2n);
  });

  it("supports its interfaces", async () => {
    const { nft } = await loadFixture(deployed);
    expect(await nft.supportsInterface("0x80ac58cd")).to.equal(true);
    expect(await nft.supportsInterface("0xffffffff")).to.equal(false);
  });

  it("asks contracts that receive", async () => {
    const { nft } = await loadFixture(deployed);
    await expect(nft.mint(nft, 1n)).to.be.revertedWithCustomError(nft, "ERC721InvalidReceiver");
  });

  it("names the token that does not exist", async () => {
    const { nft } = await loadFixture(deployed);
    await expect(nft.ownerOf(5n))
      .to.be.revertedWithCustomError(nft, "ERC721NonexistentToken")
      .withArgs(5n);
  });

  it("mints batches", async () => {
    const { items, owner, alice } = await loadFixture(deployed);
    await expect(items.mint(alice, [1n, 2n], [10n, 20n]))
      .to.emit(items, "TransferBatch")
      .withArgs(owner, ZERO, alice, [1n, 2n], [10n, 20n]);
    expect(await items.balanceOfBatch([alice, alice], [1n, 2n])).to.deep.equal([10n, 20n]);
    expect(await items["totalSupply(uint256)"](2n)).to.equal(20n);
  });

  it("panics out of bounds", async () => {
    const { items, alice } = await loadFixture(deployed);
    await expect(items.mint(alice, [1n], [1n, 2n])).to.be.revertedWithCustomError(
      items,
      "ERC1155InvalidArrayLength",
    );
    const checks = await ethers.deployContract("Checks");
    await expect(checks.element([1n], 1n)).to.be.revertedWithPanic(
      PANIC_CODES.ARRAY_ACCESS_OUT_OF_BOUNDS,
    );
    await expect(checks.checked(1n, 2n)).to.be.revertedWithPanic(
      PANIC_CODES.ARITHMETIC_OVERFLOW,
    );
  });
});
