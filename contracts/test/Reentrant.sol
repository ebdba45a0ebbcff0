// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {HookToken, IHooked} from "./HostileTokens.sol";

/// @notice Makes a call, and a second one from within it when it pays or is paid. It catches a failure of the
///         inner call, so the outer call continues.
contract Reentrant is IHooked {
    IRewardCampaigns private immutable c;
    bytes private armed;
    bool private isInside;
    bool private fails;
    /// The inner call's error, or NONE when it succeeded.
    bytes4 public innerError;
    bytes4 public constant NONE = "none";

    constructor(IRewardCampaigns campaigns) {
        c = campaigns;
    }

    function approve(HookToken token) external {
        token.approve(address(c), type(uint256).max);
    }

    function arm(bytes calldata inner) external {
        armed = inner;
    }

    /// @dev Makes the payment fail after the inner call.
    function failAfterwards(bool yes) external {
        fails = yes;
    }

    function run(bytes calldata data) external {
        (bool ok, bytes memory answer) = address(c).call(data);
        if (ok) return;
        assembly ("memory-safe") {
            revert(add(answer, 0x20), mload(answer))
        }
    }

    function onTransfer() external {
        reenter();
    }

    receive() external payable {
        reenter();
    }

    function reenter() private {
        if (isInside || armed.length == 0) return;
        isInside = true;
        (bool ok, bytes memory answer) = address(c).call(armed);
        innerError = ok ? NONE : bytes4(answer);
        isInside = false;
        require(!fails, "failed afterwards");
    }
}
