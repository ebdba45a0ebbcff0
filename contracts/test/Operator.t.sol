// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {Scene} from "./Scene.sol";

contract CancelAndRefundTest is Scene {
    bytes32[] private none;

    function test_aCancelledAirdropStaysCancelled() public {
        uint256 id = open();
        vm.expectEmit(address(c));
        emit IRewardCampaigns.AirdropCancelled(id);
        vm.prank(ADMIN);
        c.cancel(id, none, address(0));
        (,, IRewardCampaigns.Status status,,) = c.airdrop(id);
        require(status == IRewardCampaigns.Status.Cancelled, "status");
        holdsUnclaimed(id, 200);
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotActive.selector);
        c.cancel(id, none, address(0));
    }

    function test_cancellingRefundsTheBucketsThatAreNamed() public {
        uint256 id = open();
        vm.prank(ADMIN);
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
        vm.expectEmit(address(c));
        emit IRewardCampaigns.AirdropCancelled(id);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Refunded(id, BOB, 200, rootsOf(root), amountsOf(200));
        vm.prank(ADMIN);
        c.cancel(id, rootsOf(root), BOB);
        equal(balance(BOB), 200, "refund");
        holdsUnclaimed(id, 0);
        equal(unclaimed(id, OTHER_ROOT), 7, "the other waits");
    }

    function test_aRefundAtCancellingNamesAReceiver() public {
        uint256 id = open();
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.ZeroAddress.selector);
        c.cancel(id, rootsOf(root), address(0));
    }

    function test_onlyTheAdminCancels() public {
        uint256 id = open();
        vm.startPrank(STRANGER);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.cancel(id, none, address(0));
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.cancel(id + 1, none, address(0));
    }

    function test_cancellingComesAfterTheDeadlineToo() public {
        uint256 id = open(200, uint40(START + 10));
        vm.warp(START + 11);
        vm.prank(ADMIN);
        c.cancel(id, rootsOf(root), ADMIN);
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.NotActive.selector);
    }

    function test_nothingIsRefundedWhileWalletsMayClaim() public {
        uint256 endless = open();
        uint256 id = open(200, uint40(START + 10));
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.StillClaimable.selector);
        c.refund(id, rootsOf(root), ADMIN);
        vm.warp(START + 10);
        vm.expectRevert(IRewardCampaigns.StillClaimable.selector);
        c.refund(id, rootsOf(root), ADMIN);
        vm.warp(START + 11);
        c.refund(id, rootsOf(root), BOB);
        equal(balance(BOB), 200, "refund");
        vm.warp(type(uint64).max);
        vm.expectRevert(IRewardCampaigns.StillClaimable.selector);
        c.refund(endless, rootsOf(root), ADMIN);
        holdsUnclaimed(endless, 200);
    }

    function test_aRefundLeavesWhatWasClaimedAndItsMarks() public {
        uint256 id = open(200, uint40(START + 10));
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        vm.warp(START + 11);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Refunded(id, STRANGER, SHARE, rootsOf(root), amountsOf(SHARE));
        vm.prank(ADMIN);
        c.refund(id, rootsOf(root), STRANGER);
        equal(balance(STRANGER), SHARE, "refund");
        require(c.isClaimed(id, root, 0) && !c.isClaimed(id, root, 1), "marks");
        (bool exists, uint256 left) = c.bucket(id, root);
        require(exists && left == 0, "book");
        claimFails(BOB, id, SHARE, bobProof, IRewardCampaigns.Expired.selector);
    }

    function test_aBucketIsRefundedOnce() public {
        uint256 id = cancelled();
        uint256 other = open();
        bytes32[] memory roots = rootsOf(root, root);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Refunded(id, BOB, 200, roots, amountsOf(200, 0));
        vm.startPrank(ADMIN);
        c.refund(id, roots, BOB);
        equal(balance(BOB), 200, "once in a call");
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Refunded(id, BOB, 0, roots, amountsOf(0, 0));
        c.refund(id, roots, BOB);
        equal(balance(BOB), 200, "once in all");
        holdsUnclaimed(other, 200);
    }

    function test_unknownRootsRefundNothing() public {
        uint256 id = cancelled();
        vm.startPrank(ADMIN);
        c.refund(id, rootsOf(OTHER_ROOT), BOB);
        c.refund(id, none, BOB);
        equal(balance(BOB), 0, "nothing");
        (bool exists,) = c.bucket(id, OTHER_ROOT);
        require(!exists, "made up");
    }

    function test_aRefundSumsItsBuckets() public {
        uint256 id = open();
        vm.startPrank(ADMIN);
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
        c.cancel(id, none, address(0));
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Refunded(id, BOB, 207, rootsOf(root, OTHER_ROOT), amountsOf(200, 7));
        c.refund(id, rootsOf(root, OTHER_ROOT), BOB);
        equal(balance(BOB), 207, "sum");
    }

    function test_coinIsRefundedToo() public {
        uint256 id = openCoin();
        vm.startPrank(ADMIN);
        c.cancel(id, none, address(0));
        c.refund(id, rootsOf(root), BOB);
        equal(BOB.balance, 200, "refund");
    }

    function test_aRefundOfNothingPaysNobody() public {
        uint256 id = openCoin();
        vm.startPrank(ADMIN);
        // The token's contract accepts no coin: even a payment of 0 would fail.
        c.cancel(id, rootsOf(OTHER_ROOT), address(token));
        c.refund(id, none, address(token));
        holdsUnclaimed(id, 200);
    }

    function test_onlyTheAdminIsRefundedAndNotToZero() public {
        uint256 id = cancelled();
        vm.prank(STRANGER);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.refund(id, rootsOf(root), STRANGER);
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.refund(id + 1, rootsOf(root), ADMIN);
        vm.expectRevert(IRewardCampaigns.ZeroAddress.selector);
        c.refund(id, rootsOf(root), address(0));
    }
}

contract DeadlineTest is Scene {
    uint40 private constant FIRST = uint40(START + 10);

    function extend(uint256 id, uint40 later) private {
        vm.prank(ADMIN);
        c.extendDeadline(id, later);
    }

    function refuses(address caller, uint256 id, uint40 later, bytes4 why) private {
        vm.prank(caller);
        vm.expectRevert(why);
        c.extendDeadline(id, later);
    }

    function deadlineOf(uint256 id) private view returns (uint40 deadline) {
        (, deadline,,,) = c.airdrop(id);
    }

    function test_aLaterDeadlineGivesWalletsTime() public {
        uint256 id = open(200, FIRST);
        uint256 other = open(200, FIRST);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.DeadlineExtended(id, FIRST + 5);
        extend(id, FIRST + 5);
        equal(deadlineOf(id), FIRST + 5, "later");
        equal(deadlineOf(other), FIRST, "the other airdrop");
        (address t,, IRewardCampaigns.Status status, address admin,) = c.airdrop(id);
        require(t == address(token) && status == IRewardCampaigns.Status.Active && admin == ADMIN, "terms");
        vm.warp(FIRST + 5);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.StillClaimable.selector);
        c.refund(id, rootsOf(root), ADMIN);
        claimFails(ALICE, other, SHARE, aliceProof, IRewardCampaigns.Expired.selector);
        vm.warp(FIRST + 6);
        claimFails(BOB, id, SHARE, bobProof, IRewardCampaigns.Expired.selector);
    }

    function test_aDeadlineOnlyMovesLater() public {
        uint256 id = open(200, FIRST);
        bytes4 why = IRewardCampaigns.InvalidTerms.selector;
        refuses(ADMIN, id, FIRST, why);
        refuses(ADMIN, id, FIRST - 1, why);
        refuses(ADMIN, id, 0, why);
        extend(id, FIRST + 1);
        refuses(ADMIN, id, FIRST, why);
        extend(id, type(uint40).max);
        refuses(ADMIN, id, type(uint40).max, why);
    }

    /// An airdrop without a deadline never ends: any deadline would be an earlier end.
    function test_noDeadlineStaysNoDeadline() public {
        uint256 id = open();
        refuses(ADMIN, id, FIRST, IRewardCampaigns.InvalidTerms.selector);
        refuses(ADMIN, id, 0, IRewardCampaigns.InvalidTerms.selector);
    }

    function test_whatIsOverIsNotExtended() public {
        uint256 id = open(200, FIRST);
        uint256 ended = open(200, FIRST);
        vm.prank(ADMIN);
        c.cancel(ended, new bytes32[](0), address(0));
        refuses(ADMIN, ended, FIRST + 5, IRewardCampaigns.NotActive.selector);
        vm.warp(FIRST + 1);
        refuses(ADMIN, id, FIRST + 5, IRewardCampaigns.Expired.selector);
        vm.warp(FIRST);
        extend(id, FIRST + 5);
    }

    function test_onlyTheAdminExtends() public {
        uint256 id = open(200, FIRST);
        refuses(STRANGER, id, FIRST + 5, IRewardCampaigns.NotAdmin.selector);
        refuses(ALICE, id, FIRST + 5, IRewardCampaigns.NotAdmin.selector);
        refuses(ADMIN, id + 1, FIRST + 5, IRewardCampaigns.NotAdmin.selector);
    }
}

contract AdminTest is Scene {
    function propose(uint256 id, address pending) private {
        vm.expectEmit(address(c));
        emit IRewardCampaigns.AdminProposed(id, pending);
        vm.prank(ADMIN);
        c.proposeAdmin(id, pending);
    }

    function refuses(address caller, uint256 id) private {
        vm.startPrank(caller);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.acceptAdmin(id);
        vm.stopPrank();
    }

    function test_anAirdropChangesHandsInTwoSteps() public {
        uint256 id = open();
        uint256 other = open();
        propose(id, BOB);
        (,,, address admin, address pending) = c.airdrop(id);
        require(admin == ADMIN && pending == BOB, "proposed");
        refuses(ADMIN, id);
        refuses(STRANGER, id);
        refuses(BOB, other);

        vm.expectEmit(address(c));
        emit IRewardCampaigns.AdminChanged(id, BOB);
        vm.prank(BOB);
        c.acceptAdmin(id);
        (,,, admin, pending) = c.airdrop(id);
        require(admin == BOB && pending == address(0), "accepted");
        refuses(BOB, id);

        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.cancel(id, rootsOf(root), ADMIN);
        vm.prank(BOB);
        c.cancel(id, rootsOf(root), BOB);
        equal(balance(BOB), 200, "his now");
        (,,, admin,) = c.airdrop(other);
        require(admin == ADMIN, "the other airdrop");
    }

    function test_aProposalIsReplacedOrTakenBack() public {
        uint256 id = open();
        propose(id, BOB);
        propose(id, ALICE);
        refuses(BOB, id);
        propose(id, address(0));
        refuses(ALICE, id);
        refuses(STRANGER, id);
    }

    function test_onlyTheAdminProposes() public {
        uint256 id = open();
        propose(id, BOB);
        vm.prank(BOB);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.proposeAdmin(id, BOB);
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.proposeAdmin(id + 1, ADMIN);
    }
}
