// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

contract Implementation { // fails: proxy_unknown_function
    address implementation;
    uint256 public total;

    function spend(uint256 amount) public {
        total = 5;
        require(amount <= total, "Implementation: too much"); // fails: proxy, minimal_proxy
        total -= amount;
    }

    function spendBare(uint256 amount) public {
        require(amount <= total); // fails: minimal_proxy_bare
        total -= amount;
    }
}

contract Proxy {
    address implementation;

    constructor(address to) public {
        implementation = to;
    }

    $fallback() external payable {
        address to = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0) // calls: proxy 1, proxy_unknown_function 1
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 {
                revert(0, returndatasize())
            }
            default {
                return(0, returndatasize())
            }
        }
    }
}

contract Cloner {
    address public clone;

    constructor(address to) public {
        address made;
        assembly {
            let code := mload(0x40)
            mstore(code, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(add(code, 0x14), shl(96, to))
            mstore(add(code, 0x28), 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(0, code, 0x37)
        }
        clone = made;
    }

    function spendThroughClone(uint256 amount) public {
        Implementation(clone).spend(amount); // calls: minimal_proxy 1
    }

    function spendBareThroughClone(uint256 amount) public {
        Implementation(clone).spendBare(amount); // calls: minimal_proxy_bare 1
    }
}
