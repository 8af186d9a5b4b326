// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Gauge {
    int256 public level;
    int256 public highest;
    int256 public recorded;
    int256 public noted;
    uint256 public alarms;
    bool public stopped;

    event Moved(int256 from, int256 to);
    event Alarm(int256 level);

    modifier whileRunning() {
        require(!stopped, "stopped");
        _;
    }

    function move(int256 change) external whileRunning {
        int256 next = level + change;
        require(next >= -50, "too low");
        require(next <= 100, "too high");
        emit Moved(level, next);
        level = next;
        if (next > highest) {
            highest = next;
        }
        if (next < 0) {
            alarms += 1;
            emit Alarm(next);
        }
    }

    function scaled(int256 factor) external view returns (int256) {
        return factor == 0 ? level : level * factor - 7;
    }

    /// Its operators can be replaced without another result.
    function unchanged() external view returns (int256) {
        return (level + 0) * 1;
    }

    function stop() external whileRunning {
        _record(level, 3);
        this.note(level);
        stopped = true;
    }

    function note(int256 value) external returns (bool) {
        noted = value;
        return true;
    }

    function _record(int256 value, int256 added) internal returns (int256, bool) {
        recorded = value + added;
        return (recorded, true);
    }
}
