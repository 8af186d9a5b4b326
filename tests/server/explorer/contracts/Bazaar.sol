// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A fungible token that anyone can mint.
contract Coin {
    string public name;
    string public symbol;
    uint8 public constant decimals = 6;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 value);
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        if (balanceOf[msg.sender] < amount) {
            revert ERC20InsufficientBalance(msg.sender, balanceOf[msg.sender], amount);
        }
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// A collection with the image of each piece in its URI.
contract Art {
    string public constant name = "Art";
    string public constant symbol = "ART";
    uint256 public totalSupply;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function mint(address to) external {
        uint256 id = ++totalSupply;
        ownerOf[id] = to;
        ++balanceOf[to];
        emit Transfer(address(0), to, id);
    }

    function transferFrom(address from, address to, uint256 id) external {
        require(ownerOf[id] == from && msg.sender == from, "not yours");
        --balanceOf[from];
        ++balanceOf[to];
        ownerOf[id] = to;
        emit Transfer(from, to, id);
    }

    /// Of piece 1 an image, of piece 2 one of another site, of others a broken URI.
    function tokenURI(uint256 id) external pure returns (string memory) {
        if (id == 1) {
            return "data:application/json;utf8,{\"name\":\"Piece <one>\",\"image\":\"data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAxMCAxMCI+PGNpcmNsZSBjeD0iNSIgY3k9IjUiIHI9IjUiIGZpbGw9InRlYWwiLz48L3N2Zz4=\"}";
        }
        if (id == 2) return "https://example.com/2.json";
        return "data:application/json;base64,!!!";
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }
}

/// Items of several kinds.
contract Items {
    mapping(address => mapping(uint256 => uint256)) public holdings;

    event TransferSingle(
        address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value
    );

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return holdings[owner][id];
    }

    function mint(address to, uint256 id, uint256 amount) external {
        holdings[to][id] += amount;
        emit TransferSingle(msg.sender, address(0), to, id, amount);
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }
}

/// A shop that a factory makes, as a contract of its own or as a clone.
contract Shop {
    enum Door { Closed, Open }

    Door public door;
    address public owner;
    string public motto;
    mapping(address => mapping(uint256 => uint256)) public orders;
    bytes public lastCall;

    event Opened(address indexed by, Door door);

    function open(Door to) external {
        door = to;
        owner = msg.sender;
        motto = "A motto that is longer than the thirty-one bytes of a short string";
        emit Opened(msg.sender, to);
    }

    function order(uint256 item, uint256 amount) external payable {
        orders[msg.sender][item] += amount;
        if (msg.value > 0) payable(owner).transfer(msg.value);
    }

    function run(address to, bytes calldata data) external returns (bytes memory result) {
        bool succeeded;
        lastCall = data;
        (succeeded, result) = to.call(data);
        require(succeeded, "the call failed");
    }

    /// The name has a lot of text in it.
    function longText() external pure returns (string memory) {
        return "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 end";
    }
}

/// Makes shops.
contract Factory {
    Shop[] public shops;
    address public immutable model = address(new Shop());

    event Made(address shop);

    function make(uint256 count) external {
        for (uint256 i = 0; i < count; ++i) {
            Shop shop = new Shop();
            shops.push(shop);
            emit Made(address(shop));
        }
    }

    function clone() external returns (address made) {
        address to = model;
        assembly {
            mstore(0x00, 0x3d602d80600a3d3981f3363d3d373d3d3d363d73000000000000000000000000)
            mstore(0x14, shl(0x60, to))
            mstore(0x28, 0x5af43d82803e903d91602b57fd5bf30000000000000000000000000000000000)
            made := create(0, 0x00, 0x37)
        }
        emit Made(made);
    }
}

/// A proxy of ERC-1967.
contract Proxy {
    constructor(address to) {
        assembly { sstore(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc, to) }
    }

    fallback() external payable {
        assembly {
            let to := sload(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc)
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), to, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

enum Size { Small, Large }

/// A stall with long texts, which does the same many times.
contract Stall {
    Size public size;
    string public sign;

    event Rang(address by, Size size);

    function paint(Size to, uint256 words) external {
        size = to;
        sign = text(words);
    }

    function ring(uint256 count) external {
        for (uint256 i = 0; i < count; ++i) this.bell();
    }

    function bell() external {
        emit Rang(msg.sender, size);
    }

    function scores() external pure returns (uint256[] memory made) {
        made = new uint256[](100);
        for (uint256 i = 0; i < 100; ++i) made[i] = 700 + i;
    }

    function song() external pure returns (string memory) {
        return text(300);
    }

    function text(uint256 words) internal pure returns (string memory made) {
        made = new string(32 * words);
        assembly {
            for { let i := 1 } iszero(gt(i, words)) { i := add(i, 1) } {
                mstore(add(made, mul(32, i)), "Thirty-two characters of a text.")
            }
        }
    }
}
