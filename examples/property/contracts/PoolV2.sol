// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The next version of the pool, which is to behave alike for less gas. It has a planted bug.
contract PoolV2 {
    uint256 public totalShares;
    mapping(address => uint256) public shares;

    function deposit() external payable {
        uint256 total = totalShares;
        uint256 minted = total == 0 ? msg.value : (msg.value * total) / (address(this).balance - msg.value);
        require(minted > 0, "too little for a share");
        shares[msg.sender] += minted;
        totalShares = total + minted;
    }

    function earn() external payable {}

    /// The bug: "the total is checked, so that shares need not be". Anyone withdraws what others own.
    function withdraw(uint256 amount) external {
        uint256 total = totalShares;
        uint256 burned = (amount * total) / address(this).balance;
        totalShares = total - burned;
        unchecked {
            shares[msg.sender] -= burned;
        }
        payable(msg.sender).transfer(amount);
    }
}
