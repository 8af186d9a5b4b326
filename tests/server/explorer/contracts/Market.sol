// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// A token that can be put into a vault.
contract Token {
    string public name;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);
    error InsufficientBalance(address account, uint256 needed, uint256 available);

    constructor(string memory name_, uint256 supply) {
        name = name_;
        totalSupply = supply;
        balanceOf[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function rename(string calldata to) external {
        name = to;
    }

    function _move(address from, address to, uint256 value) internal {
        uint256 available = balanceOf[from];
        if (available < value) revert InsufficientBalance(from, value, available);
        balanceOf[from] = available - value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

contract Vault {
    struct Deposit {
        uint256 amount;
        uint64 since;
        bool locked;
    }

    Token public immutable token;
    address public owner;
    bool public paused;
    mapping(address => Deposit) public deposits;
    address[] public depositors;

    event Deposited(address indexed from, uint256 amount, string note);
    error Paused();

    constructor(Token token_) {
        token = token_;
        owner = msg.sender;
    }

    function deposit(uint256 amount, string calldata note) external payable {
        if (paused) revert Paused();
        token.transferFrom(msg.sender, address(this), amount);
        if (deposits[msg.sender].since == 0) depositors.push(msg.sender);
        deposits[msg.sender].amount += amount;
        deposits[msg.sender].since = uint64(block.timestamp);
        emit Deposited(msg.sender, amount, note);
    }

    function withdraw(uint256 amount) external {
        Deposit storage mine = deposits[msg.sender];
        require(mine.amount >= amount, "more than was deposited");
        mine.amount -= amount;
        try token.transfer(msg.sender, amount) returns (bool) {} catch {}
    }

    function setPaused(bool to) external {
        require(msg.sender == owner, "not the owner");
        paused = to;
    }

    function total() external view returns (uint256) {
        return token.balanceOf(address(this));
    }

    receive() external payable {}
}
