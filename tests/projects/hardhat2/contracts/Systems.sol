// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {TransparentUpgradeableProxy} from
    "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Ownable2Step, Ownable} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {ReentrancyGuardTransient} from
    "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {MessageHashUtils} from "@openzeppelin/contracts/utils/cryptography/MessageHashUtils.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";
import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";
import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorSettings} from
    "@openzeppelin/contracts/governance/extensions/GovernorSettings.sol";
import {GovernorCountingSimple} from
    "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {GovernorTimelockControl} from
    "@openzeppelin/contracts/governance/extensions/GovernorTimelockControl.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";

contract BoxV1 is Initializable, UUPSUpgradeable {
    uint256 public value;

    error TooLarge(uint256 value, uint256 limit);

    function initialize(uint256 first) external initializer {
        value = first;
    }

    function store(uint256 next) external {
        if (next > 100) revert TooLarge(next, 100);
        value = next;
    }

    function version() external pure virtual returns (uint256) {
        return 1;
    }

    function _authorizeUpgrade(address) internal view override {
        require(value < 100, "the box is full");
    }
}

contract BoxV2 is BoxV1 {
    function version() external pure override returns (uint256) {
        return 2;
    }
}

contract Factory {
    event Created(address box);

    function clone(address implementation, bytes32 salt) external returns (address box) {
        box = Clones.cloneDeterministic(implementation, salt);
        emit Created(box);
    }

    function predict(address implementation, bytes32 salt) external view returns (address) {
        return Clones.predictDeterministicAddress(implementation, salt, address(this));
    }

    function create(bytes32 salt, bytes memory code) external payable returns (address) {
        return Create2.deploy(msg.value, salt, code);
    }

    function compute(bytes32 salt, bytes32 codeHash) external view returns (address) {
        return Create2.computeAddress(salt, codeHash);
    }
}

contract Bank is Ownable2Step, ReentrancyGuardTransient {
    mapping(address => uint256) public balances;

    event Paid(address indexed to, uint256 amount);

    constructor() Ownable(msg.sender) {}

    receive() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw() external nonReentrant {
        uint256 amount = balances[msg.sender];
        require(amount > 0, "nothing to withdraw");
        balances[msg.sender] = 0;
        emit Paid(msg.sender, amount);
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
    }

    function sweep() external onlyOwner {
        payable(owner()).transfer(address(this).balance);
    }
}

contract Robber {
    Bank private immutable bank;

    constructor(Bank target) payable {
        bank = target;
        (bool paid,) = address(target).call{value: msg.value}("");
        require(paid);
    }

    function rob() external {
        bank.withdraw();
    }

    receive() external payable {
        bank.withdraw();
    }
}

contract Checks {
    function recover(bytes32 hash, bytes memory signature) external pure returns (address) {
        return ECDSA.recover(MessageHashUtils.toEthSignedMessageHash(hash), signature);
    }

    function inTree(bytes32[] memory proof, bytes32 root, bytes32 leaf) external pure returns (bool) {
        return MerkleProof.verify(proof, root, leaf);
    }

    function p256(bytes32 h, bytes32 r, bytes32 s, bytes32 x, bytes32 y) external view returns (bool) {
        return P256.verifySolidity(h, r, s, x, y);
    }

    function mulDiv(uint256 a, uint256 b, uint256 c) external pure returns (uint256) {
        return Math.mulDiv(a, b, c);
    }

    function modExp(uint256 base, uint256 exponent, uint256 modulus) external view returns (uint256) {
        return Math.modExp(base, exponent, modulus);
    }

    function text(uint256 value) external pure returns (string memory) {
        return Strings.toString(value);
    }

    function checked(uint256 a, uint256 b) external pure returns (uint256) {
        return a - b;
    }

    function element(uint256[] memory values, uint256 index) external pure returns (uint256) {
        return values[index];
    }
}

contract Council is
    GovernorSettings,
    GovernorCountingSimple,
    GovernorVotes,
    GovernorTimelockControl
{
    constructor(IVotes votes, TimelockController timelock)
        Governor("Council")
        GovernorSettings(1 days, 1 weeks, 0)
        GovernorVotes(votes)
        GovernorTimelockControl(timelock)
    {}

    function quorum(uint256) public pure override returns (uint256) {
        return 100;
    }

    function proposalThreshold() public view override(Governor, GovernorSettings) returns (uint256) {
        return super.proposalThreshold();
    }

    function state(uint256 id)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (ProposalState)
    {
        return super.state(id);
    }

    function proposalNeedsQueuing(uint256 id)
        public
        view
        override(Governor, GovernorTimelockControl)
        returns (bool)
    {
        return super.proposalNeedsQueuing(id);
    }

    function _queueOperations(
        uint256 id,
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) returns (uint48) {
        return super._queueOperations(id, targets, values, calldatas, description);
    }

    function _executeOperations(
        uint256 id,
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) {
        super._executeOperations(id, targets, values, calldatas, description);
    }

    function _cancel(
        address[] memory targets,
        uint256[] memory values,
        bytes[] memory calldatas,
        bytes32 description
    ) internal override(Governor, GovernorTimelockControl) returns (uint256) {
        return super._cancel(targets, values, calldatas, description);
    }

    function _executor() internal view override(Governor, GovernorTimelockControl) returns (address) {
        return super._executor();
    }
}
