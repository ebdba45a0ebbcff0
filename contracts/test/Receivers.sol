// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestTokens.sol";

/// @notice Ways in which a payment goes wrong, for a receiver of coin or for a token.
enum Mood {
    Kind,
    Refuses,
    EatsGas,
    AnswersLongFailure,
    AnswersLongSuccess,
    SaysNo
}

abstract contract Moody {
    /// @dev Behaves as it is told; returns when it is kind.
    function act(Mood mood) internal pure {
        if (mood == Mood.Refuses) revert("refused");
        if (mood == Mood.EatsGas) {
            uint256 n;
            while (true) ++n;
        }
        // To copy an answer of 150,000 bytes costs as much gas again as to make it.
        if (mood == Mood.AnswersLongFailure) {
            assembly {
                revert(0, 150000)
            }
        }
        if (mood == Mood.AnswersLongSuccess) {
            assembly {
                return(0, 150000)
            }
        }
    }
}

/// @notice A contract that coin is paid to.
contract Receiver is Moody {
    Mood private mood;

    function be(Mood newMood) external {
        mood = newMood;
    }

    receive() external payable {
        act(mood);
    }
}

/// @notice A token with moods, one for each receiver.
contract MoodyToken is TestToken("Moody", "MOOD", 18), Moody {
    mapping(address => Mood) private moods;

    function be(address receiver, Mood mood) external {
        moods[receiver] = mood;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        act(moods[to]);
        if (moods[to] == Mood.SaysNo) return false;
        return super.transfer(to, amount);
    }
}
