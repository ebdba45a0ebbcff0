// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {Scene} from "./Scene.sol";

contract CreateTest is Scene {
    function test_aTokenAirdropEscrowsItsBucketsAndSaysSo() public {
        IRewardCampaigns.NewBucket[] memory buckets = listOf(root, 200, OTHER_ROOT, 33);
        uint256 before = balance(ADMIN);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.AirdropCreated(1, BOB, "name", ADMIN, address(token), START + 5);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.BucketsAdded(1, buckets);
        vm.prank(ADMIN);
        equal(c.create(address(token), uint40(START + 5), BOB, "name", buckets), 1, "id");

        equal(balance(address(c)), 233, "escrow");
        equal(before - balance(ADMIN), 233, "paid by the caller");
        (bool exists, uint256 left) = c.bucket(1, root);
        require(exists && left == 200, "first bucket");
        (exists, left) = c.bucket(1, OTHER_ROOT);
        require(exists && left == 33, "second bucket");
        (address t, uint40 deadline, IRewardCampaigns.Status status, address admin, address pending) = c.airdrop(1);
        require(t == address(token) && deadline == START + 5 && admin == BOB && pending == address(0), "terms");
        require(status == IRewardCampaigns.Status.Active, "active");
    }

    function test_aCoinAirdropEscrowsExactlyTheValueSent() public {
        openCoin();
        equal(address(c).balance, 200, "escrow");
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create{value: 199}(COIN, 0, ADMIN, newRef(), listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create{value: 201}(COIN, 0, ADMIN, newRef(), listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create(COIN, 0, ADMIN, newRef(), listOf(root, 200));
    }

    function test_aTokenAirdropTakesNoCoin() public {
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create{value: 1}(address(token), 0, ADMIN, newRef(), listOf(root, 200));
    }

    function test_coinSentWithoutACallIsRefused() public {
        vm.deal(address(this), 1);
        (bool ok,) = address(c).call{value: 1}("");
        require(!ok, "kept stray coin");
    }

    function test_idsCountFromOne() public {
        equal(c.airdropCount(), 0, "none yet");
        (,, IRewardCampaigns.Status status,,) = c.airdrop(1);
        require(status == IRewardCampaigns.Status.None, "there is none");
        for (uint256 id = 1; id <= 3; ++id) {
            equal(open(), id, "id");
            equal(c.airdropCount(), id, "count");
        }
    }

    /// A batch that is sent twice must not escrow twice, whatever became of the first airdrop.
    function test_aCreatorUsesARefOnce() public {
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.RefUsed.selector);
        c.create(address(token), 0, ADMIN, 0, listOf(root, 200));
        uint256 id = c.create(address(token), 0, ADMIN, "name", listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.RefUsed.selector);
        c.create(address(token), 0, ADMIN, "name", listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.RefUsed.selector);
        c.create{value: 7}(COIN, 0, BOB, "name", listOf(OTHER_ROOT, 7));
        c.cancel(id, rootsOf(root), ADMIN);
        vm.expectRevert(IRewardCampaigns.RefUsed.selector);
        c.create(address(token), 0, ADMIN, "name", listOf(root, 200));
        equal(c.airdropCount(), 1, "one");
        equal(c.create(address(token), 0, ADMIN, "another name", listOf(root, 200)), 2, "another ref");
    }

    /// A stranger who sees a ref first takes it from nobody.
    function test_aRefBelongsToItsCreator() public {
        token.mint(STRANGER, 1);
        vm.startPrank(STRANGER);
        token.approve(address(c), 1);
        uint256 theirs = c.create(address(token), 0, ADMIN, "name", listOf(root, 1));
        vm.stopPrank();
        vm.prank(ADMIN);
        uint256 ours = c.create(address(token), 0, ADMIN, "name", listOf(root, 200));
        equal(c.idOf(STRANGER, "name"), theirs, "theirs");
        equal(c.idOf(ADMIN, "name"), ours, "ours");
        equal(c.idOf(BOB, "name"), 0, "nobody's");
        equal(c.idOf(ADMIN, "other"), 0, "not used");
    }

    /// A creation that failed used nothing up.
    function test_aRefOfAFailedCreationIsFree() public {
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, "name", listOf(0, 1));
        c.create(address(token), 0, ADMIN, "name", listOf(root, 200));
    }

    function test_anAdminIsNeeded() public {
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.InvalidTerms.selector);
        c.create(address(token), 0, address(0), newRef(), listOf(root, 200));
    }

    function test_theDeadlineIsInTheFutureOrNone() public {
        for (uint256 deadline = START - 1; deadline <= START; ++deadline) {
            vm.prank(ADMIN);
            vm.expectRevert(IRewardCampaigns.InvalidTerms.selector);
            c.create(address(token), uint40(deadline), ADMIN, newRef(), listOf(root, 200));
        }
        open(200, uint40(START + 1));
        open(200, 0);
    }

    function test_aBucketHasARootAndAnAmountOf127Bits() public {
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(0, 1));
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(root, 0));
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(root, 1 << 127));
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(root, type(uint256).max));
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(root, (1 << 127) - 1));
        holdsUnclaimed(id, (1 << 127) - 1);
    }

    function test_aRootStandsOnceInAnAirdrop() public {
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(root, 1, root, 1));
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.addBuckets(id, listOf(OTHER_ROOT, 1, root, 1));
        vm.stopPrank();
        // An emptied bucket still exists.
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        vm.prank(BOB);
        c.claim(id, SHARE, bobProof);
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.InvalidBucket.selector);
        c.addBuckets(id, listOf(root, 1));
        // Another airdrop may have the same root, with separate funds and marks.
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.AlreadyClaimed.selector);
        uint256 other = open();
        vm.prank(ALICE);
        c.claim(other, SHARE, aliceProof);
    }

    function test_aTokenThatWasNotApprovedIsNotPulled() public {
        vm.prank(STRANGER);
        vm.expectRevert(IRewardCampaigns.TransferFromFailed.selector);
        c.create(address(token), 0, ADMIN, newRef(), listOf(root, 200));
        equal(c.airdropCount(), 0, "count");
    }

    function test_anAddressWithoutCodeIsNoToken() public {
        vm.startPrank(ADMIN);
        vm.expectRevert(IRewardCampaigns.TransferFromFailed.selector);
        c.create(address(0x70), 0, ADMIN, newRef(), listOf(root, 200));
        vm.expectRevert(IRewardCampaigns.TransferFromFailed.selector);
        c.create(address(0x70), 0, ADMIN, newRef(), new IRewardCampaigns.NewBucket[](0));
    }

    function test_anAirdropMayBeginWithoutBuckets() public {
        vm.startPrank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), new IRewardCampaigns.NewBucket[](0));
        equal(balance(address(c)), 0, "nothing yet");
        vm.expectRevert(IRewardCampaigns.InvalidProof.selector);
        c.claim(id, SHARE, aliceProof);
        c.addBuckets(id, listOf(root, 200));
        vm.stopPrank();
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
    }

    // ---------------------------------------------------------------------------------- addBuckets

    function test_theAdminAddsBucketsAndPays() public {
        uint256 id = open();
        vm.prank(ADMIN);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.BucketsAdded(id, listOf(OTHER_ROOT, 7));
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
        equal(unclaimed(id, OTHER_ROOT), 7, "new");
        holdsUnclaimed(id, 200);
        equal(balance(address(c)), 207, "escrow");

        id = openCoin();
        vm.startPrank(ADMIN);
        c.addBuckets{value: 7}(id, listOf(OTHER_ROOT, 7));
        equal(address(c).balance, 207, "coin");
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.addBuckets{value: 6}(id, listOf(bytes32("third"), 7));
    }

    function test_nobodyElseAddsBuckets() public {
        uint256 id = open();
        token.mint(STRANGER, 100);
        vm.startPrank(STRANGER);
        token.approve(address(c), 100);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
        vm.stopPrank();
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotAdmin.selector);
        c.addBuckets(id + 1, listOf(OTHER_ROOT, 7));
    }

    function test_bucketsAreAddedUntilTheDeadline() public {
        uint256 id = open(200, uint40(START + 10));
        vm.startPrank(ADMIN);
        vm.warp(START + 10);
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
        vm.warp(START + 11);
        vm.expectRevert(IRewardCampaigns.Expired.selector);
        c.addBuckets(id, listOf(bytes32("third"), 7));
    }

    function test_aCancelledAirdropTakesNoBuckets() public {
        uint256 id = cancelled();
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.NotActive.selector);
        c.addBuckets(id, listOf(OTHER_ROOT, 7));
    }
}
