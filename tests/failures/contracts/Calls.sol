// SPDX-License-Identifier: MIT
pragma solidity >=0.4.26 <0.9.0;

interface ITarget {
    function take(uint256 amount) external returns (uint256);

    function poke() external view returns (uint256);

    function flag() external view returns (bool);
}

contract Target { // fails: unknown_function_of_callee
    uint256 public have = 5;

    function take(uint256 amount) public returns (uint256) {
        require(amount <= have, "Target: too much"); // fails: interface_call, assembly_bubbles, rethrown, sibling, self_call, two_contracts
        have -= amount;
        return have;
    }

    function takeBare(uint256 amount) public {
        require(amount <= have); // fails: bare_in_callee
        have -= amount;
    }

    function poke() public returns (uint256) {
        have += 1; // fails: static_violation
        return have;
    }

    function spin() public {
        while (true) have += 1; // fails: out_of_gas_in_callee
    }

    function destroy() public {
        selfdestruct($payable(msg.sender));
    }
}

contract Liar {
    $fallback() external {
        assembly {
            mstore(0, 2)
            return(0, 0)
        }
    }

    function flag() public pure returns (uint256) {
        return 2;
    }
}

contract Greedy {
    uint256 public received;

    $receive() external payable {
        received += msg.value; // fails: transfer_stipend
    }
}

contract Refuser {
    $receive() external payable {
        revert("no payments"); // fails: transfer_refused
    }
}

contract Middle {
    Target target;

    constructor(Target where) public {
        target = where;
    }

    function pass(uint256 amount) public returns (uint256) {
        return target.take(amount); // calls: two_contracts 2
    }
}

contract Caller {
    uint256 public total;
    Target target;
    Middle middle;
    ITarget liar;
    ITarget nowhere = ITarget(address(0x1234));

    constructor(Target to, Middle through, address lies) public {
        target = to;
        middle = through;
        liar = ITarget(lies);
    }

    function throughInterface(uint256 amount) public {
        total = ITarget(address(target)).take(amount); // calls: interface_call 1
    }

    function bare(uint256 amount) public {
        total = amount;
        target.takeBare(amount); // calls: bare_in_callee 1
    }

    function twoContracts(uint256 amount) public {
        total = middle.pass(amount); // calls: two_contracts 1
    }

    function sibling(uint256 amount) public {
        total = target.take(1);
        total += target.take(amount); // calls: sibling 1
        total += target.take(1);
    }

    function selfCall(uint256 amount) public {
        this.throughThis(amount); // calls: self_call 1
    }

    function throughThis(uint256 amount) public {
        total = target.take(amount); // calls: self_call 2
    }

    function swallowed(uint256 amount) public {
        //? 0.4
        bool ok = address(target).call(abi.encodeWithSelector(target.take.selector, amount));
        //? 0.6 0.8
        (bool ok, ) = address(target).call(abi.encodeWithSelector(target.take.selector, amount));
        //? all
        total = ok ? 1 : 2;
        require(total == 1, "the call failed"); // fails: swallowed
    }

    function swallowedThenOther(uint256 amount) public {
        //? 0.4
        bool ok = address(target).call(abi.encodeWithSelector(target.take.selector, amount));
        //? 0.6 0.8
        (bool ok, ) = address(target).call(abi.encodeWithSelector(target.take.selector, amount));
        //? all
        total = ok ? 1 : 2;
        assert(total == amount); // fails: swallowed_then_other
    }

    function swallowedThenBare(uint256 amount) public {
        //? 0.4
        bool ok = address(target).call(abi.encodeWithSelector(target.takeBare.selector, amount));
        //? 0.6 0.8
        (bool ok, ) = address(target).call(abi.encodeWithSelector(target.takeBare.selector, amount));
        //? all
        total = ok ? 1 : 2;
        require(total == amount); // fails: swallowed_then_bare
    }

    function bubble(uint256 amount) public {
        bytes memory data = abi.encodeWithSelector(target.take.selector, amount);
        address to = address(target);
        assembly {
            let ok := call(gas(), to, 0, add(data, 32), mload(data), 0, 0) // calls: assembly_bubbles 1
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) {
                revert(0, returndatasize())
            }
        }
    }

    //? 0.6 0.8
    function rethrow(uint256 amount) public {
        try target.take(amount) returns (uint256 left) { // calls: rethrown 1
            total = left;
        } catch (bytes memory data) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }

    function caught(uint256 amount) public {
        try target.take(amount) returns (uint256 left) {
            total = left;
        } catch Error(string memory) {
            revert("caught and refused"); // fails: caught_and_refused
        }
    }

    function inTryBody(uint256 amount) public {
        try target.take(amount) returns (uint256 left) {
            require(left > 100, "in the try body"); // fails: try_body
        } catch {
            total = 1;
        }
    }
    //? all

    function noCode(uint256 amount) public {
        total = nowhere.take(amount); // fails: no_code
    }

    function destroyed(uint256 amount) public {
        total = target.take(amount); // fails: destroyed_callee
    }

    function shortReturn(uint256 amount) public {
        total = liar.take(amount); // fails: short_return
    }

    function wrongReturn() public {
        total = liar.flag() ? 1 : 2; // fails: wrong_return
    }

    function unknownFunction(uint256 amount) public {
        total = amount;
        Middle(address(target)).pass(amount); // calls: unknown_function_of_callee 1
    }

    function poke() public {
        total = ITarget(address(target)).poke(); // calls: static_violation 1
    }

    //? 0.4
    function spin() public {
        target.spin.gas(30000)(); // calls: out_of_gas_in_callee 1
    }
    //? 0.6 0.8
    function spin() public {
        target.spin{gas: 30000}(); // calls: out_of_gas_in_callee 1
    }
    //? all

    function transferTooMuch(address to) public payable {
        $payable(to).transfer(1 ether); // fails: transfer_balance
    }

    function transferTo(address to) public payable {
        $payable(to).transfer(msg.value); // calls: transfer_stipend 1, transfer_refused 1
    }

    function sendTo(address to) public payable {
        total = msg.value;
        require($payable(to).send(msg.value), "send failed"); // fails: send_stipend
    }

    function sendBare(address to) public payable {
        require($payable(to).send(msg.value)); // fails: send_bare
    }

    //? 0.6 0.8
    function decode(bytes memory data) public {
        (total, ) = abi.decode(data, (uint256, uint256)); // fails: abi_decode
    }
    //? all

    function recover(bytes32 digest) public view returns (address) {
        address signer = ecrecover(digest, 99, digest, digest);
        require(signer != address(0), "bad signature"); // fails: bad_signature
        return signer;
    }

    function addPoints(uint256 x) public {
        uint256[4] memory input = [x, x, x, x];
        assembly {
            if iszero(call(gas(), 6, 0, input, 128, input, 64)) {
                revert(0, 0) // fails: precompile_refuses
            }
        }
    }

    function registerHeader(bytes memory header) public {
        Bridge(address(0x01000006)).addSignature(header, header, header); // fails: bridge_refuses
    }
}

interface Bridge {
    function addSignature(bytes $calldata a, bytes $calldata b, bytes $calldata c) external;
}
