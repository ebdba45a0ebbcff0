// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {TestToken} from "../tokens/TestTokens.sol";
import {Base} from "./Base.sol";
import {Handler} from "./Handler.sol";

/// @notice Checks the state after any sequence of calls. The handler checks each call: no claim is paid twice,
///         late or after a cancel, no due claim is refused, and an intruder has no effect.
contract InvariantsTest is Base {
    IRewardCampaigns private c;
    TestToken private token;
    Handler private handler;

    function setUp() public {
        vm.warp(1e9);
        c = deployCampaigns();
        token = new TestToken("Test", "TEST", 18);
        handler = new Handler(c, token);
    }

    function targetContracts() public view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// Each bucket's total is claimed, refunded or unclaimed, and its marks are those of the paid wallets.
    function invariant_bucketsConserveTheirTotals() public view {
        (, uint256 n) = handler.counts();
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            (bool exists, uint256 left) = c.bucket(b.id, b.root);
            require(exists, "a bucket is gone");
            equal(b.total, b.claimed + b.refunded + left, "total");
            for (uint256 k; k < b.wallets.length; ++k) {
                require(c.isClaimed(b.id, b.root, uint256(b.proofs[k][0])) == b.isPaid[k], "mark");
            }
        }
    }

    /// The contract holds exactly the unclaimed amounts and the gifts that belong to no airdrop.
    function invariant_theBalancesCoverWhatIsUnclaimed() public view {
        (, uint256 n) = handler.counts();
        (uint256 owedCoin, uint256 owedToken) = (0, handler.gifts());
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            uint256 left = b.total - b.claimed - b.refunded;
            if (handler.drop(b.id).isCoin) owedCoin += left;
            else owedToken += left;
        }
        equal(address(c).balance, owedCoin, "coin");
        equal(token.balanceOf(address(c)), owedToken, "token");
    }

    /// Terms never change, a cancel is permanent, and only the two steps change an admin.
    function invariant_termsStand() public view {
        (uint256 n,) = handler.counts();
        equal(c.airdropCount(), n, "count");
        for (uint256 id = 1; id <= n; ++id) {
            Handler.Drop memory d = handler.drop(id);
            (address t, uint40 deadline, IRewardCampaigns.Status status, address admin, address pending) = c.airdrop(id);
            require(t == (d.isCoin ? address(0) : address(token)) && deadline == d.deadline, "terms");
            require((status == IRewardCampaigns.Status.Cancelled) == d.isCancelled, "status");
            require(admin == d.admin && pending == d.pending, "admin");
        }
    }
}
