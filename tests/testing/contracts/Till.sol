// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

interface Priced {
    function price(uint256 count) external view returns (uint256);
}

library Shares {
    function half(uint256 amount) internal pure returns (uint256) {
        return amount / 2;
    }

    function third(uint256 amount) internal pure returns (uint256) {
        return amount / 3;
    }
}

abstract contract Owned {
    address public immutable owner;
    uint256 internal rate = 7;

    constructor() {
        owner = msg.sender;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, unicode"not the owner ✋");
        _;
    }

    function limit() public view virtual returns (uint256);
}

contract Till is Owned, Priced {
    using Shares for uint256;

    error TooMuch(uint256 amount);

    event Sold(uint256 amount);

    uint256 public sold;

    function limit() public pure override returns (uint256) {
        return 100;
    }

    function price(uint256 count) public view returns (uint256) {
        uint256 sum;
        for (uint256 i = 0; i < count; i++) {
            sum += rate;
        }
        if (count > 10) {
            sum = sum.half();
        } else if (count == 0) {
            return 0;
        }
        return sum;
    }

    function sell(uint256 count) external {
        uint256 amount = price(count);
        if (amount > limit()) revert TooMuch(amount);
        sold += amount;
        emit Sold(amount);
    }

    function setRate(uint256 to) external onlyOwner {
        rate = to;
    }

    function wipe() external onlyOwner {
        sold = 0;
    }

    function low(uint256 size) external pure returns (uint256 found) {
        assembly {
            switch gt(size, 5)
            case 0 {
                found := size
            }
            default {
                found := and(size, 3)
            }
        }
    }
}

contract Shop {
    Till public till;

    function open() external {
        till = new Till();
    }

    function tried(uint256 count) external returns (bool) {
        try till.sell(count) {
            return true;
        } catch {
            return false;
        }
    }
}

contract Proxy {
    address private immutable target;

    constructor(address to) {
        target = to;
    }

    fallback() external payable {
        (bool fine, bytes memory output) = target.delegatecall(msg.data);
        if (!fine) {
            revert();
        }
        assembly {
            return(add(output, 32), mload(output))
        }
    }
}

contract Twins {
    uint256 public count;

    function first() external {
        count += 1;
    }

    function second() external {
        count += 1;
    }
}
