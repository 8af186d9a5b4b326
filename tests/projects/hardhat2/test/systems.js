// OpenZeppelin's proxies, governance, access, cryptography and mathematics.

const helpers = require("@nomicfoundation/hardhat-network-helpers");
const { expect } = require("chai");
const { ethers, network } = require("hardhat");

const { loadFixture, time } = helpers;
const DAY = 24 * 3600;
const IMPLEMENTATION = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const ADMIN = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103";

describe("proxies", () => {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    const v1 = await ethers.deployContract("BoxV1");
    const v2 = await ethers.deployContract("BoxV2");
    const start = v1.interface.encodeFunctionData("initialize", [5n]);
    const proxy = await ethers.deployContract("ERC1967Proxy", [v1, start]);
    return { v1, v2, start, owner, alice, proxy, box: v1.attach(await proxy.getAddress()) };
  }

  it("delegates to the implementation, whose address is in its slot", async () => {
    const { box, proxy, v1 } = await loadFixture(deployed);
    expect(await box.value()).to.equal(5n);
    expect(await v1.value()).to.equal(0n);
    const slot = await ethers.provider.getStorage(proxy, IMPLEMENTATION);
    expect(ethers.getAddress(ethers.dataSlice(slot, 12))).to.equal(await v1.getAddress());
  });

  it("upgrades and keeps its storage", async () => {
    const { box, v2 } = await loadFixture(deployed);
    await expect(box.upgradeToAndCall(v2, "0x")).to.emit(box, "Upgraded").withArgs(v2);
    expect([await box.version(), await box.value()]).to.deep.equal([2n, 5n]);
  });

  it("passes on errors of the implementation", async () => {
    const { box, v2 } = await loadFixture(deployed);
    await expect(box.store(101n)).to.be.revertedWithCustomError(box, "TooLarge").withArgs(101n, 100n);
    await box.store(100n);
    await expect(box.upgradeToAndCall(v2, "0x")).to.be.revertedWith("the box is full");
  });

  it("is initialized once", async () => {
    const { box } = await loadFixture(deployed);
    await expect(box.initialize(1n)).to.be.revertedWithCustomError(box, "InvalidInitialization");
  });

  it("has an admin contract when it is transparent", async () => {
    const { v1, v2, start, owner } = await loadFixture(deployed);
    const proxy = await ethers.deployContract("TransparentUpgradeableProxy", [v1, owner, start]);
    const slot = await ethers.provider.getStorage(proxy, ADMIN);
    const admin = await ethers.getContractAt("ProxyAdmin", ethers.dataSlice(slot, 12));
    expect(await admin.owner()).to.equal(owner.address);
    await admin.upgradeAndCall(proxy, v2, "0x");
    expect(await v2.attach(await proxy.getAddress()).version()).to.equal(2n);
  });

  it("clones to a predicted address", async () => {
    const { v1 } = await loadFixture(deployed);
    const factory = await ethers.deployContract("Factory");
    const salt = ethers.id("salt");
    const predicted = await factory.predict(v1, salt);
    await expect(factory.clone(v1, salt)).to.emit(factory, "Created").withArgs(predicted);
    await expect(factory.clone(v1, salt)).to.be.revertedWithCustomError(
      { interface: new ethers.Interface(["error FailedDeployment()"]) },
      "FailedDeployment",
    );
    expect(await ethers.provider.getCode(predicted)).to.have.lengthOf(2 + 2 * 45);
  });

  it("creates with CREATE2 and a value", async () => {
    const factory = await ethers.deployContract("Factory");
    const code = "0x6001600c60003960016000f300"; // deploys one byte, 00
    const where = await factory.compute(ethers.ZeroHash, ethers.keccak256(code));
    await expect(factory.create(ethers.ZeroHash, code, { value: 3n })).to.changeEtherBalance(
      where,
      3n,
    );
    expect(await ethers.provider.getCode(where)).to.equal("0x00");
  });
});

describe("governance", () => {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    const votes = await ethers.deployContract("VotesToken", [1000n]);
    const timelock = await ethers.deployContract("TimelockController", [DAY, [], [], owner]);
    const council = await ethers.deployContract("Council", [votes, timelock]);
    await timelock.grantRole(await timelock.PROPOSER_ROLE(), council);
    await timelock.grantRole(await timelock.EXECUTOR_ROLE(), council);
    await votes.delegate(owner);
    await owner.sendTransaction({ to: timelock, value: 50n });
    const proposal = [[alice.address], [50n], ["0x"]];
    const hash = ethers.id("pay alice");
    const id = await council.hashProposal(...proposal, hash);
    return { votes, timelock, council, owner, alice, proposal, hash, id };
  }

  it("proposes, votes, queues and executes", async () => {
    const { council, timelock, owner, alice, proposal, hash, id } = await loadFixture(deployed);
    await council.propose(...proposal, "pay alice");
    await time.increase(DAY + 1);
    await expect(council.castVoteWithReason(id, 1, "she earned it"))
      .to.emit(council, "VoteCast")
      .withArgs(owner, id, 1, 1000n, "she earned it");
    await time.increase(7 * DAY);
    expect(await council.state(id)).to.equal(4n);
    await council.queue(...proposal, hash);
    await expect(council.execute(...proposal, hash)).to.be.revertedWithCustomError(
      timelock,
      "TimelockUnexpectedOperationState",
    );
    await time.increaseTo(await council.proposalEta(id));
    await expect(council.execute(...proposal, hash)).to.changeEtherBalances(
      [timelock, alice],
      [-50n, 50n],
    );
  });

  it("refuses a vote before its time", async () => {
    const { council, proposal, id } = await loadFixture(deployed);
    await council.propose(...proposal, "pay alice");
    await expect(council.castVote(id, 1)).to.be.revertedWithCustomError(
      council,
      "GovernorUnexpectedProposalState",
    );
  });

  it("is defeated without votes", async () => {
    const { council, proposal, id } = await loadFixture(deployed);
    await council.propose(...proposal, "pay alice");
    await time.increase(9 * DAY);
    expect(await council.state(id)).to.equal(3n);
  });
});

describe("access and payments", () => {
  async function deployed() {
    const [owner, alice] = await ethers.getSigners();
    return { bank: await ethers.deployContract("Bank"), owner, alice };
  }

  it("hands ownership over in two steps", async () => {
    const { bank, alice, owner } = await loadFixture(deployed);
    await bank.transferOwnership(alice);
    expect(await bank.owner()).to.equal(owner.address);
    await bank.connect(alice).acceptOwnership();
    await expect(bank.sweep())
      .to.be.revertedWithCustomError(bank, "OwnableUnauthorizedAccount")
      .withArgs(owner);
  });

  it("receives and pays ether", async () => {
    const { bank, alice } = await loadFixture(deployed);
    await expect(alice.sendTransaction({ to: bank, value: 9n })).to.changeEtherBalance(bank, 9n);
    await expect(bank.connect(alice).withdraw()).to.changeEtherBalances([alice, bank], [9n, -9n]);
    await expect(bank.connect(alice).withdraw()).to.be.revertedWith("nothing to withdraw");
  });

  it("guards against reentrancy in transient storage", async () => {
    const { bank, alice } = await loadFixture(deployed);
    await alice.sendTransaction({ to: bank, value: 9n });
    const robber = await ethers.deployContract("Robber", [bank], { value: 5n });
    await expect(robber.rob()).to.be.revertedWith("not paid");
    expect(await ethers.provider.getBalance(bank)).to.equal(14n);
  });

  it("pays from an account that a test plays", async () => {
    const { bank } = await loadFixture(deployed);
    const where = await bank.getAddress();
    await helpers.impersonateAccount(where);
    await helpers.setBalance(where, 10n ** 18n);
    const signer = await ethers.getSigner(where);
    await expect(signer.sendTransaction({ to: ethers.ZeroAddress, value: 1n })).not.to.be.reverted;
    await helpers.stopImpersonatingAccount(where);
  });

  it("vests over time", async () => {
    const [, , bob] = await ethers.getSigners();
    const start = (await time.latest()) + 100;
    const wallet = await ethers.deployContract("VestingWallet", [bob, start, 1000], {
      value: 1000n,
    });
    expect(await wallet["releasable()"]()).to.equal(0n);
    await time.increaseTo(start + 500);
    expect(await wallet["releasable()"]()).to.equal(500n);
    await time.setNextBlockTimestamp(start + 600);
    await expect(wallet["release()"]()).to.changeEtherBalance(bob, 600n);
    await time.increaseTo(start + 2000);
    await expect(wallet["release()"]()).to.emit(wallet, "EtherReleased").withArgs(400n);
  });
});

describe("cryptography and mathematics", () => {
  const deployed = async () => ({ checks: await ethers.deployContract("Checks") });

  it("recovers the signer of a message", async () => {
    const { checks } = await loadFixture(deployed);
    const [owner] = await ethers.getSigners();
    const hash = ethers.id("message");
    const signature = await owner.signMessage(ethers.getBytes(hash));
    expect(await checks.recover(hash, signature)).to.equal(owner.address);
    await expect(checks.recover(hash, "0x1234"))
      .to.be.revertedWithCustomError(checks, "ECDSAInvalidSignatureLength")
      .withArgs(2n);
  });

  it("verifies a Merkle proof", async () => {
    const { checks } = await loadFixture(deployed);
    const [a, b] = [ethers.id("a"), ethers.id("b")].sort();
    const root = ethers.keccak256(ethers.concat([a, b]));
    expect(await checks.inTree([b], root, a)).to.equal(true);
    expect(await checks.inTree([a], root, a)).to.equal(false);
  });

  it("verifies P-256 in Solidity", async () => {
    const { checks } = await loadFixture(deployed);
    const { createHash, sign, generateKeyPairSync } = require("node:crypto");
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const { x, y } = publicKey.export({ format: "jwk" });
    const order = BigInt("0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551");
    const hash = `0x${createHash("sha256").update("message").digest("hex")}`;
    const signature = sign("sha256", Buffer.from("message"), {
      key: privateKey,
      dsaEncoding: "ieee-p1363",
    });
    const r = ethers.hexlify(signature.subarray(0, 32));
    let s = BigInt(ethers.hexlify(signature.subarray(32)));
    if (s > order / 2n) s = order - s;
    const point = [x, y].map((each) => ethers.hexlify(Buffer.from(each, "base64url")));
    const padded = ethers.toBeHex(s, 32);
    expect(await checks.p256(hash, r, padded, ...point)).to.equal(true);
    expect(await checks.p256(ethers.id("other"), r, padded, ...point)).to.equal(false);
  });

  it("multiplies and divides with 512 bits", async () => {
    const { checks } = await loadFixture(deployed);
    const most = ethers.MaxUint256;
    expect(await checks.mulDiv(most, most, most)).to.equal(most);
    await expect(checks.mulDiv(most, most, 1n)).to.be.revertedWithPanic(0x11);
    await expect(checks.mulDiv(1n, 1n, 0n)).to.be.revertedWithPanic(0x12);
  });

  it("calls the precompiled MODEXP", async () => {
    const { checks } = await loadFixture(deployed);
    expect(await checks.modExp(3n, 200n, 1_000_007n)).to.equal(3n ** 200n % 1_000_007n);
    await expect(checks.modExp(3n, 2n, 0n)).to.be.revertedWithPanic(0x12);
  });

  it("writes numbers as text", async () => {
    const { checks } = await loadFixture(deployed);
    expect(await checks.text(ethers.MaxUint256)).to.equal(ethers.MaxUint256.toString());
  });
});

describe("the chain", () => {
  it("has the accounts of Hardhat", async () => {
    const signers = await ethers.getSigners();
    expect(signers).to.have.lengthOf(20);
    expect(signers[0].address).to.equal("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
    expect(await ethers.provider.getBalance(signers[19])).to.equal(10_000n * 10n ** 18n);
  });

  it("mines, drops and replaces", async () => {
    const height = await time.latestBlock();
    await helpers.mine(1000, { interval: 12 });
    expect(await time.latestBlock()).to.equal(height + 1000);
    await network.provider.send("evm_setAutomine", [false]);
    const [owner, alice] = await ethers.getSigners();
    const nonce = await owner.getNonce();
    const fees = { gasPrice: 10n ** 11n };
    const first = await owner.sendTransaction({ to: alice, value: 1n, nonce, ...fees });
    await owner.sendTransaction({ to: alice, value: 2n, nonce, gasPrice: 2n * 10n ** 11n });
    await helpers.mine();
    await network.provider.send("evm_setAutomine", [true]);
    expect(await ethers.provider.getTransactionReceipt(first.hash)).to.equal(null);
  });

  it("sends every type of transaction", async () => {
    const [owner, alice] = await ethers.getSigners();
    const gasPrice = (await ethers.provider.getFeeData()).gasPrice * 2n;
    for (const type of [0, 1, 2]) {
      const fees = type === 2 ? { maxFeePerGas: gasPrice } : { gasPrice, ...(type === 1 && { accessList: [] }) };
      const sent = await owner.sendTransaction({ to: alice, value: 1n, type, ...fees });
      const receipt = await sent.wait();
      expect([receipt.type, receipt.status, receipt.gasUsed]).to.deep.equal([type, 1, 21_000n]);
    }
  });

  it("reverts to a snapshot", async () => {
    const [owner, alice] = await ethers.getSigners();
    const snapshot = await helpers.takeSnapshot();
    const before = await ethers.provider.getBalance(alice);
    await owner.sendTransaction({ to: alice, value: 1n });
    await snapshot.restore();
    expect(await ethers.provider.getBalance(alice)).to.equal(before);
  });

  it("sets code, storage and nonces", async () => {
    const where = ethers.Wallet.createRandom().address;
    await helpers.setCode(where, "0x60005460005260206000f3"); // returns storage slot 0
    await helpers.setStorageAt(where, 0, 77);
    await helpers.setNonce(where, 5);
    expect(BigInt(await ethers.provider.call({ to: where }))).to.equal(77n);
    expect(await ethers.provider.getTransactionCount(where)).to.equal(5);
  });

  it("refuses what cannot be paid, and contracts that are too large", async () => {
    const poor = ethers.Wallet.createRandom(ethers.provider);
    await expect(poor.sendTransaction({ to: poor, value: 1n })).to.be.rejectedWith(
      /insufficient funds|enough funds/,
    );
    const [owner] = await ethers.getSigners();
    await expect(
      owner.sendTransaction({ data: "0x6160016000f3", gasLimit: 10_000_000n }), // 24,577 bytes
    ).to.be.reverted;
  });
});
