// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A safe whose ownership is handed over in two steps. It has a planted bug.
contract Safe {
    address public owner = msg.sender;
    address public pending;
    uint256 public handovers;

    error NotOwner(address caller);

    /// The bug: while no handover is pending, anyone may start one.
    function propose(address next) external {
        if (pending != address(0) && msg.sender != owner) revert NotOwner(msg.sender);
        pending = next;
    }

    function accept(uint256 code) external {
        require(msg.sender == pending, "not proposed");
        require(code == 0x5afe5afe5afe, "wrong code");
        owner = pending;
        pending = address(0);
        handovers += 1;
    }
}
