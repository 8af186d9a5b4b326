// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {SafeERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

contract Coin is ERC20Permit {
    constructor() ERC20("Coin", "COIN") ERC20Permit("Coin") {
        _mint(msg.sender, 1_000);
    }
}

/// Sells a right to the one who has bid most at its end; bids that were outdone are paid back.
contract Auction {
    using SafeERC20 for IERC20;

    struct Bid {
        address bidder;
        uint256 amount;
        uint64 time;
    }

    IERC20 public immutable coin;
    address public immutable seller;
    uint64 public immutable end;
    Bid public highest;
    Bid[] private _bids;

    event Raised(address indexed bidder, uint256 amount, uint256 indexed place);
    event Sold(Bid winner);

    error Ended(uint64 end, uint256 time);
    error TooLow(uint256 amount, uint256 needed);
    error NotEnded();

    constructor(IERC20 coin_, uint64 duration) {
        coin = coin_;
        seller = msg.sender;
        end = uint64(block.timestamp) + duration;
    }

    function bid(uint256 amount) external {
        if (block.timestamp >= end) revert Ended(end, block.timestamp);
        Bid memory before = highest;
        if (amount <= before.amount) revert TooLow(amount, before.amount + 1);
        highest = Bid(msg.sender, amount, uint64(block.timestamp));
        _bids.push(highest);
        emit Raised(msg.sender, amount, _bids.length - 1);
        coin.safeTransferFrom(msg.sender, address(this), amount);
        if (before.amount > 0) coin.safeTransfer(before.bidder, before.amount);
    }

    function close() external {
        if (block.timestamp < end) revert NotEnded();
        require(coin.balanceOf(address(this)) > 0, "closed already");
        emit Sold(highest);
        coin.safeTransfer(seller, highest.amount);
    }

    function bids() external view returns (Bid[] memory) {
        return _bids;
    }
}
