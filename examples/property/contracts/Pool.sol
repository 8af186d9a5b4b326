// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Coins in shares: what the pool earns belongs to all shares alike. It has a planted bug.
contract Pool {
    uint256 public totalShares;
    mapping(address => uint256) public shares;

    function deposit() external payable {
        uint256 before = address(this).balance - msg.value;
        uint256 minted = totalShares == 0 ? msg.value : (msg.value * totalShares) / before;
        require(minted > 0, "too little for a share");
        shares[msg.sender] += minted;
        totalShares += minted;
    }

    function earn() external payable {}

    /// The bug: shares are rounded down, in favour of who withdraws. Once a share is worth more
    /// than a wei, a wei costs no share.
    function withdraw(uint256 amount) external {
        uint256 burned = (amount * totalShares) / address(this).balance;
        shares[msg.sender] -= burned;
        totalShares -= burned;
        payable(msg.sender).transfer(amount);
    }
}
