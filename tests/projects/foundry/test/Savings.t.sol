// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Savings} from "../src/Savings.sol";

interface Vm {
    function warp(uint256 time) external;
    function deal(address who, uint256 balance) external;
    function prank(address who) external;
    function expectRevert(bytes calldata data) external;
}

/// The same facts as in tests/test_savings.py, for forge.
contract SavingsTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    Savings private savings;

    function setUp() public {
        vm.deal(address(this), 10 ether);
        savings = new Savings{value: 1 ether}(50);
    }

    receive() external payable {}

    function check(bool holds) private pure {
        require(holds, "does not hold");
    }

    function test_deploys() public view {
        check(savings.owner() == address(this));
        check(savings.rate() == 50);
        check(address(savings).balance == 1 ether);
    }

    function test_deposits() public {
        check(savings.deposit{value: 100}(60) == 0);
        Savings.Deposit[] memory made = savings.deposits(address(this));
        check(made.length == 1 && made[0].amount == 100);
        check(made[0].until == made[0].since + 60);
        check(savings.balanceOf(address(this)) == 100);
    }

    function test_nothing_to_deposit() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "nothing to deposit"));
        savings.deposit(60);
    }

    function test_interest() public {
        savings.deposit{value: 10_000}(60);
        vm.warp(block.timestamp + 2 days);
        check(savings.interest(address(this), 0) == 100);
    }

    function test_locked() public {
        savings.deposit{value: 100}(60);
        uint256 until = block.timestamp + 60;
        vm.expectRevert(abi.encodeWithSelector(Savings.Locked.selector, until, block.timestamp));
        savings.withdraw(0);
    }

    function test_withdraws() public {
        savings.deposit{value: 10_000}(60);
        vm.warp(block.timestamp + 1 days);
        uint256 before = address(this).balance;
        savings.withdraw(0);
        check(address(this).balance == before + 10_050);
        check(savings.totalSupply() == 0);
    }

    function test_unknown() public {
        vm.expectRevert(abi.encodeWithSelector(Savings.Unknown.selector, address(this), 3));
        savings.interest(address(this), 3);
    }

    function test_rate_is_the_owners() public {
        vm.expectRevert(
            abi.encodeWithSignature("OwnableUnauthorizedAccount(address)", address(0xb0b))
        );
        vm.prank(address(0xb0b));
        savings.setRate(1);
    }

    function test_too_much_is_refused() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "at most 1 % a day"));
        savings.setRate(101);
    }
}
