// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

// Functions that end alike, as in many tokens: optimizers keep one such end for all of them.
contract Merged {
    mapping(address => uint256) public held;
    //? 0.8
    error NoSender(address sender);
    error NoReceiver(address receiver);
    error TooFew(address owner, uint256 amount);
    //? all

    function give(address to, uint256 amount) public {
        move(msg.sender, to, amount); // calls: merged_call 1
    }

    function move(address from, address to, uint256 amount) internal {
        require(from != address(0), "no sender");
        require(to != address(0), "no receiver");
        update(from, to, amount); // calls: merged_call 2
    }

    function update(address from, address to, uint256 amount) internal {
        require(held[from] >= amount, "too few"); // fails: merged_call
        held[from] -= amount;
        held[to] += amount;
    }

    function updateNow(address from, address to, uint256 amount) public {
        update(from, to, amount);
    }

    function moveNow(address from, address to, uint256 amount) public {
        move(from, to, amount);
    }

    function sender() internal view returns (address) {
        return msg.sender;
    }

    modifier mayAct(uint256 role) {
        if (role != 0) {
            checkRole(role, sender());
        }
        _;
    }

    modifier only(uint256 role) {
        checkRole(role); // calls: merged_with_modifier 2
        _;
    }

    function checkRole(uint256 role) internal view {
        checkRole(role, sender()); // calls: merged_with_modifier 3
    }

    function checkRole(uint256 role, address who) internal view {
        require(held[who] >= role, "no role"); // fails: merged_with_modifier
    }

    function cancel(uint256 role) public only(7) { // calls: merged_with_modifier 1
        held[msg.sender] = role;
    }

    function act(uint256 role) public mayAct(role) {
        checkBefore(role); // calls: after_modifier 1
        held[msg.sender] = role;
        checkAfter(role);
    }

    function actNow(uint256 role) public mayAct(role) {
        checkBefore(role);
        held[msg.sender] = role + 1;
        checkAfter(role);
    }

    function checkBefore(uint256 role) internal view {
        require(held[msg.sender] > role, "too early"); // fails: after_modifier
    }

    function checkAfter(uint256 role) internal view {
        require(held[msg.sender] > role, "too late");
    }

    //? 0.8
    function mint(address to, uint256 amount) public {
        create(to, amount);
    }

    function create(address to, uint256 amount) internal {
        if (to == address(0)) {
            revert NoReceiver(address(0));
        }
        settle(address(0), to, amount);
    }

    function burn(address from, uint256 amount) public {
        destroy(from, amount);
    }

    function destroy(address from, uint256 amount) internal {
        if (from == address(0)) {
            revert NoSender(address(0));
        }
        settle(from, address(0), amount);
    }

    function pass(address to, uint256 amount) public returns (bool) {
        shift(msg.sender, to, amount); // calls: merged_error_receiver 1
        return true;
    }

    function passFrom(address from, address to, uint256 amount) public returns (bool) {
        shift(from, to, amount); // calls: merged_error_sender 1, merged_error_call 1
        return true;
    }

    function shift(address from, address to, uint256 amount) internal {
        if (from == address(0)) {
            revert NoSender(address(0)); // fails: merged_error_sender
        }
        if (to == address(0)) {
            revert NoReceiver(address(0)); // fails: merged_error_receiver
        }
        settle(from, to, amount); // calls: merged_error_call 2
    }

    function settle(address from, address to, uint256 amount) internal {
        if (held[from] < amount) {
            revert TooFew(from, amount); // fails: merged_error_call
        }
        held[from] -= amount;
        held[to] += amount;
    }

    function settleNow(address from, address to, uint256 amount) public {
        settle(from, to, amount);
    }

    function shiftNow(address from, address to, uint256 amount) public {
        shift(from, to, amount);
    }
    //? all
}
