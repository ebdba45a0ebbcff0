// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {TestToken} from "../tokens/TestTokens.sol";
import {Base} from "./Base.sol";
import {Handler} from "./Handler.sol";
import {Ledger} from "./Ledger.sol";

/// @notice Checks the state after any sequence of calls. The handler checks each call: no claim is paid twice,
///         late or after a cancel, no due claim is refused, and an intruder has no effect.
contract InvariantsTest is Base {
    IRewardCampaigns private c;
    TestToken private token;
    Handler private handler;
    /// The hash of the name of the one invariant to check, or of nothing.
    bytes32 private asked;

    function setUp() public {
        vm.warp(1e9);
        c = deployCampaigns();
        token = new TestToken("Test", "TEST", 18);
        handler = new Handler(c, token);
        asked = keccak256(bytes(vm.envOr("INVARIANT", string(""))));
    }

    function targetContracts() public view returns (address[] memory list) {
        list = new address[](1);
        list[0] = address(handler);
    }

    /// One sequence of calls is checked for all of them, or for the one that INVARIANT names.
    function invariant_theBooksHold() public view {
        if (isAsked("bucketsConserveTheirTotals")) bucketsConserveTheirTotals();
        if (isAsked("eachTokenIsConserved")) eachTokenIsConserved();
        if (isAsked("aLeafIsPaidOnce")) aLeafIsPaidOnce();
        if (isAsked("aBucketPaysWhatItHolds")) aBucketPaysWhatItHolds();
        if (isAsked("usedRefsStayUsed")) usedRefsStayUsed();
        if (isAsked("deadlinesOnlyGrow")) deadlinesOnlyGrow();
        if (isAsked("theEventsTellTheBooks")) theEventsTellTheBooks();
        if (isAsked("theBalancesCoverWhatIsUnclaimed")) theBalancesCoverWhatIsUnclaimed();
        if (isAsked("termsStand")) termsStand();
    }

    function isAsked(bytes memory name) private view returns (bool) {
        return asked == keccak256("") || asked == keccak256(name);
    }

    /// Each bucket's total is claimed, refunded or unclaimed: nothing comes from or goes to another bucket. Its
    /// marks are those of the paid wallets.
    function bucketsConserveTheirTotals() private view {
        (, uint256 n) = handler.counts();
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            (bool exists, uint256 left) = c.bucket(b.id, b.root);
            require(exists, "a bucket is gone");
            equal(b.total, b.claimed + b.refunded + left, "total");
            for (uint256 k; k < b.wallets.length; ++k) {
                uint256 marker = uint256(b.proofs[k][0]);
                require(c.isClaimed(b.id, b.root, marker) == b.isPaid[k], "mark");
                uint256 word = c.marksOf(b.id, b.root, amountsOf(marker >> 8))[0];
                require(((word >> (marker & 0xff)) & 1 == 1) == b.isPaid[k], "mark in its word");
            }
        }
    }

    /// For each token: what the buckets hold, what was paid and what was refunded is what was funded.
    function eachTokenIsConserved() private view {
        Ledger ledger = handler.ledger();
        (, uint256 n) = handler.counts();
        (uint256 leftCoin, uint256 leftToken) = (0, 0);
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            (, uint256 left) = c.bucket(b.id, b.root);
            if (handler.drop(b.id).isCoin) leftCoin += left;
            else leftToken += left;
        }
        equal(ledger.funded(address(0)), leftCoin + ledger.paid(address(0)) + ledger.refunded(address(0)), "coin sum");
        address t = address(token);
        equal(ledger.funded(t), leftToken + ledger.paid(t) + ledger.refunded(t), "token sum");
    }

    /// A leaf is paid at most once, whichever of the ways is used.
    function aLeafIsPaidOnce() private view {
        Ledger ledger = handler.ledger();
        (, uint256 n) = handler.counts();
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            for (uint256 k; k < b.wallets.length; ++k) {
                uint256 times = ledger.claims(ledger.leafOf(b.id, b.root, b.wallets[k], b.amounts[k]));
                equal(times, b.isPaid[k] ? 1 : 0, "a leaf's payments");
            }
        }
    }

    /// No bucket pays more than was put into it.
    function aBucketPaysWhatItHolds() private view {
        Ledger ledger = handler.ledger();
        (, uint256 n) = handler.counts();
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            equal(ledger.added(b.id, b.root), b.total, "what was put in");
            require(ledger.taken(b.id, b.root) <= b.total, "more than was put in");
        }
    }

    /// A ref that was used names its airdrop for good.
    function usedRefsStayUsed() private view {
        (uint256 n,) = handler.counts();
        for (uint256 id = 1; id <= n; ++id) {
            Handler.Drop memory d = handler.drop(id);
            equal(c.idOf(d.creator, d.ref), id, "a used ref");
        }
    }

    /// A deadline only moves later, and none stays none.
    function deadlinesOnlyGrow() private view {
        (uint256 n,) = handler.counts();
        for (uint256 id = 1; id <= n; ++id) {
            Handler.Drop memory d = handler.drop(id);
            (, uint40 deadline,,,) = c.airdrop(id);
            require(deadline >= d.firstDeadline, "an earlier deadline");
            require((deadline == 0) == (d.firstDeadline == 0), "a deadline from none, or none from one");
        }
    }

    /// A reader of the events alone has the contract's books: terms, buckets, and what everyone received.
    function theEventsTellTheBooks() private view {
        Ledger ledger = handler.ledger();
        (uint256 drops, uint256 n) = handler.counts();
        equal(ledger.count(), drops, "airdrops in the events");
        for (uint256 id = 1; id <= drops; ++id) {
            termsAgree(ledger, id);
        }
        for (uint256 i; i < n; ++i) {
            Handler.Book memory b = handler.book(i);
            (bool exists, uint256 left) = c.bucket(b.id, b.root);
            require(ledger.exists(b.id, b.root) == exists, "a bucket in the events");
            equal(ledger.balance(b.id, b.root), left, "a bucket's balance in the events");
        }
        address[] memory receivers = handler.receivers();
        for (uint256 i; i < receivers.length; ++i) {
            equal(ledger.received(address(token), receivers[i]), token.balanceOf(receivers[i]), "tokens received");
            equal(ledger.received(address(0), receivers[i]), receivers[i].balance, "coin received");
        }
    }

    function termsAgree(Ledger ledger, uint256 id) private view {
        (address t, uint256 deadline, address admin, address pending, address creator, bytes32 ref, bool isCancelled) =
            ledger.terms(id);
        (address token_, uint40 deadline_, IRewardCampaigns.Status status, address admin_, address pending_) = c.airdrop(id);
        require(t == token_ && deadline == deadline_, "terms in the events");
        require(admin == admin_ && pending == pending_, "admin in the events");
        require(isCancelled == (status == IRewardCampaigns.Status.Cancelled), "cancelled in the events");
        equal(c.idOf(creator, ref), id, "ref in the events");
    }

    /// The contract holds exactly the unclaimed amounts and the gifts that belong to no airdrop.
    function theBalancesCoverWhatIsUnclaimed() private view {
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

    /// Terms change only as their admin changes them, a cancel is permanent, and only the two steps change an admin.
    function termsStand() private view {
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
