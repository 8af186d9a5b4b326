// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Bank, Customer} from "../src/Bank.sol";
import {Pool} from "../src/Pool.sol";
import {Safe} from "../src/Safe.sol";

interface Vm {
    function deal(address account, uint256 balance) external;
    function prank(address sender) external;
}

Vm constant VM = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// What forge's fuzzer does not do by itself: it sends value with calls.
function fund(address sender, uint256 value) returns (uint256) {
    value = value % 10 ether;
    VM.deal(sender, value);
    VM.prank(sender);
    return value;
}

abstract contract Machine {
    address[] internal targets;

    function targetContracts() external view returns (address[] memory) {
        return targets;
    }

    function targetSenders() external pure returns (address[] memory senders) {
        senders = new address[](3);
        for (uint160 i = 0; i < 3; i++) senders[i] = address(0x10000 + i);
    }
}

/// forge undoes what an invariant writes, so a handler keeps the ghost variables.
contract PoolHandler {
    Pool internal pool;
    uint256 internal coins;
    uint256 internal shares = 1;
    bool public priceFell;

    constructor(Pool pool_) {
        pool = pool_;
    }

    modifier checked() {
        _;
        uint256 total = pool.totalShares();
        if (total > 0) {
            if (address(pool).balance * shares < coins * total) priceFell = true;
            (coins, shares) = (address(pool).balance, total);
        }
    }

    function deposit(uint256 value) external checked {
        pool.deposit{value: fund(msg.sender, value)}();
    }

    function earn(uint256 value) external checked {
        pool.earn{value: fund(msg.sender, value)}();
    }

    function withdraw(uint256 amount) external checked {
        VM.prank(msg.sender);
        pool.withdraw(amount % (address(pool).balance + 1));
    }
}

contract RoundingTest is Machine {
    PoolHandler internal handler;

    function setUp() external {
        handler = new PoolHandler(new Pool());
        targets.push(address(handler));
    }

    function invariant_priceNeverFalls() external view {
        require(!handler.priceFell(), "price fell");
    }
}

/// Without it forge proposes any address: hardly ever one of the senders.
contract SafeHandler {
    Safe internal safe;

    constructor(Safe safe_) {
        safe = safe_;
    }

    function propose(uint160 next) external {
        VM.prank(msg.sender);
        safe.propose(address(0x10000 + next % 3));
    }
}

contract AccessControlTest is Machine {
    Safe internal safe;

    function setUp() external {
        safe = new Safe();
        targets.push(address(safe));
        targets.push(address(new SafeHandler(safe)));
    }

    function invariant_ownerStays() external view {
        require(safe.owner() == address(this), "owner changed");
    }
}

contract BankHandler {
    Bank internal bank;
    Customer internal customer;

    constructor(Bank bank_, Customer customer_) {
        (bank, customer) = (bank_, customer_);
    }

    function deposit(uint256 value) external {
        bank.deposit{value: fund(msg.sender, value)}();
    }

    function depositOfCustomer(uint256 value) external {
        customer.deposit{value: fund(msg.sender, value)}();
    }
}

contract ReentrancyTest is Machine {
    Bank internal bank;

    function setUp() external {
        bank = new Bank();
        Customer customer = new Customer(bank);
        targets.push(address(bank));
        targets.push(address(customer));
        targets.push(address(new BankHandler(bank, customer)));
    }

    function invariant_coversItsBooks() external view {
        require(address(bank).balance >= bank.total(), "books not covered");
    }
}
