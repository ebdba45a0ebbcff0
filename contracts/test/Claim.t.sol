// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {Scene} from "./Scene.sol";

contract ClaimTest is Scene {
    bytes4 private constant INVALID = IRewardCampaigns.InvalidProof.selector;

    function test_aClaimPaysTheCallerItsAmountOnce() public {
        uint256 id = open();
        require(!c.isClaimed(id, root, 0), "not yet");
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Claimed(id, ALICE, SHARE, root);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        equal(balance(ALICE), SHARE, "paid");
        holdsUnclaimed(id, SHARE);
        require(c.isClaimed(id, root, 0) && !c.isClaimed(id, root, 1), "marks");
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.AlreadyClaimed.selector);

        vm.prank(BOB);
        c.claim(id, SHARE, bobProof);
        equal(balance(BOB), SHARE, "paid as well");
        (bool exists, uint256 left) = c.bucket(id, root);
        require(exists && left == 0, "the bucket is empty and there");
        equal(balance(address(c)), 0, "nothing left");
    }

    function test_coinIsPaidToo() public {
        uint256 id = openCoin();
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        equal(ALICE.balance, SHARE, "paid");
        equal(address(c).balance, SHARE, "the rest stays");
    }

    function test_aProofHoldsForItsCallerAmountAndAirdropOnly() public {
        uint256 id = open();
        vm.prank(ADMIN);
        uint256 other = c.create(address(token), 0, ADMIN, newRef(), listOf(OTHER_ROOT, 200));
        claimFails(BOB, id, SHARE, aliceProof, INVALID);
        claimFails(STRANGER, id, SHARE, aliceProof, INVALID);
        claimFails(ALICE, id, SHARE + 1, aliceProof, INVALID);
        claimFails(ALICE, id, SHARE - 1, aliceProof, INVALID);
        claimFails(ALICE, other, SHARE, aliceProof, INVALID);
        claimFails(ALICE, other + 1, SHARE, aliceProof, INVALID);
        claimFails(ALICE, 0, SHARE, aliceProof, INVALID);
    }

    function test_aProofIsWhole() public {
        uint256 id = open();
        claimFails(ALICE, id, SHARE, new bytes32[](0), INVALID);
        claimFails(ALICE, id, SHARE, rootsOf(aliceProof[0]), INVALID);
        claimFails(ALICE, id, SHARE, rootsOf(aliceProof[1]), INVALID);
        claimFails(ALICE, id, SHARE, rootsOf(aliceProof[1], aliceProof[0]), INVALID);
        bytes32[] memory longer = new bytes32[](3);
        (longer[0], longer[1], longer[2]) = (aliceProof[0], aliceProof[1], root);
        claimFails(ALICE, id, SHARE, longer, INVALID);
    }

    /// A leaf that is a bucket's root has no sibling to mark: it could be claimed without end.
    function test_aLeafAloneIsNoTree() public {
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(leaf(ALICE, SHARE), 200));
        claimFails(ALICE, id, SHARE, new bytes32[](0), INVALID);
    }

    /// An inner node is a hash of 64 bytes, like a leaf's inner hash, but a leaf is hashed once more.
    function test_anInnerNodeIsNoLeaf() public {
        address attacker = address(0xBAD);
        bytes32 once = keccak256(abi.encode(attacker, SHARE));
        bytes32 top = pair(once, bytes32(uint256(0)));
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 200));
        claimFails(attacker, id, SHARE, rootsOf(0), INVALID);
    }

    function test_oneWalletIsATreeWithItsIndex() public {
        bytes32 top = pair(leaf(ALICE, SHARE), 0);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, SHARE));
        vm.prank(ALICE);
        c.claim(id, SHARE, rootsOf(0));
        equal(balance(ALICE), SHARE, "paid");
        require(c.isClaimed(id, top, 0), "marked");
        claimFails(ALICE, id, SHARE, rootsOf(0), IRewardCampaigns.AlreadyClaimed.selector);
    }

    function test_theLastSecondCounts() public {
        uint256 id = open(200, uint40(START + 10));
        vm.warp(START + 10);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        vm.warp(START + 11);
        claimFails(BOB, id, SHARE, bobProof, IRewardCampaigns.Expired.selector);
        equal(balance(BOB), 0, "late");
    }

    function test_withoutADeadlineThereIsAlwaysTime() public {
        uint256 id = open();
        vm.warp(type(uint64).max);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
    }

    function test_aCancelledAirdropPaysNobody() public {
        uint256 id = cancelled();
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.NotActive.selector);
        claimFails(STRANGER, id, SHARE, aliceProof, INVALID);
    }

    function test_anOverAllocatedTreeDrainsItsOwnBucketOnly() public {
        uint256 id = open(150, 0);
        uint256 other = open();
        vm.prank(ADMIN);
        c.addBuckets(id, listOf(OTHER_ROOT, 1000));
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        claimFails(BOB, id, SHARE, bobProof, IRewardCampaigns.InsufficientFunds.selector);
        holdsUnclaimed(id, 50);
        require(!c.isClaimed(id, root, 1), "not marked");
        equal(unclaimed(id, OTHER_ROOT), 1000, "the sister bucket");
        equal(unclaimed(other, root), 200, "the other airdrop");
        equal(balance(address(c)), 1250, "escrow");
    }

    /// An amount above 127 bits overlaps the marks in the book: it must not be subtracted there.
    function test_anAmountCannotBorrowFromTheMarks() public {
        uint256 huge = 1 << 127;
        bytes32 top = pair(leaf(ALICE, huge), 0);
        bytes32 top2 = pair(leaf(ALICE, type(uint256).max), bytes32(uint256(1)));
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 200, top2, huge - 1));
        claimFails(ALICE, id, huge, rootsOf(0), IRewardCampaigns.InsufficientFunds.selector);
        claimFails(ALICE, id, type(uint256).max, rootsOf(bytes32(uint256(1))), IRewardCampaigns.InsufficientFunds.selector);
    }

    function test_aBucketPaysItsLastUnitAtTheBound() public {
        uint256 most = (1 << 127) - 1;
        bytes32 top = pair(leaf(ALICE, most), bytes32(uint256(127)));
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, most));
        vm.prank(ALICE);
        c.claim(id, most, rootsOf(bytes32(uint256(127))));
        equal(balance(ALICE), most, "paid");
        (bool exists, uint256 left) = c.bucket(id, top);
        require(exists && left == 0 && c.isClaimed(id, top, 127), "book");
    }

    function test_nothingIsAClaimAsWell() public {
        bytes32 top = pair(leaf(ALICE, 0), 0);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 1));
        vm.prank(ALICE);
        c.claim(id, 0, rootsOf(0));
        require(c.isClaimed(id, top, 0), "marked");
        claimFails(ALICE, id, 0, rootsOf(0), IRewardCampaigns.AlreadyClaimed.selector);
    }

    // --------------------------------------------------------------------------------------- marks

    /// Covers markers from inside the book to the first word beside it.
    function test_marksAround128DoNotTouch() public {
        marksDoNotTouch(120);
    }

    /// Covers markers from one word of marks to the next.
    function test_marksAround256DoNotTouch() public {
        marksDoNotTouch(248);
    }

    function marksDoNotTouch(uint256 firstIndex) private {
        bytes32[] memory leaves = new bytes32[](16);
        for (uint256 i; i < 16; ++i) {
            leaves[i] = leaf(address(uint160(0x1000 + i)), 1 << i);
        }
        (bytes32 top, bytes32[][] memory proofs) = indexedTree(leaves, firstIndex);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 1e6));
        for (uint256 n; n < 16; ++n) {
            uint256 i = (n * 7) % 16; // any order
            vm.prank(address(uint160(0x1000 + i)));
            c.claim(id, 1 << i, proofs[i]);
            for (uint256 k; k < 16; ++k) {
                bool isClaimed;
                for (uint256 m; m <= n; ++m) {
                    if ((m * 7) % 16 == k) isClaimed = true;
                }
                require(c.isClaimed(id, top, firstIndex + k) == isClaimed, "mark");
            }
        }
        equal(unclaimed(id, top), 1e6 - 65535, "left");
    }

    /// Every index of a full bucket marks a separate bit and does not change the amount.
    function test_128WalletsShareTheBook() public {
        bytes32[] memory leaves = new bytes32[](128);
        for (uint256 i; i < 128; ++i) {
            leaves[i] = leaf(address(uint160(0x1000 + i)), 1);
        }
        (bytes32 top, bytes32[][] memory proofs) = indexedTree(leaves, 0);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 128));
        for (uint256 i; i < 128; ++i) {
            require(!c.isClaimed(id, top, i), "early");
            vm.prank(address(uint160(0x1000 + i)));
            c.claim(id, 1, proofs[i]);
            require(c.isClaimed(id, top, i), "mark");
            equal(unclaimed(id, top), 127 - i, "left");
        }
        (bool exists,) = c.bucket(id, top);
        require(exists, "exists");
        require(!c.isClaimed(id, top, 128) && !c.isClaimed(id, top, 255), "beside the book");
        uint256[] memory marks = c.marksOf(id, top, amountsOf(0, 1));
        equal(marks[0], type(uint128).max, "all of the book, and nothing beside it");
        equal(marks[1], 0, "the next word");
    }

    /// A word of marks is the same as 256 marks one by one, in the book and beside it.
    function test_marksAreReadManyAtOnce() public {
        bytes32[] memory leaves = new bytes32[](4);
        uint256[4] memory markers = [uint256(5), 127, 128, 255];
        for (uint256 i; i < 4; ++i) {
            leaves[i] = pair(leaf(address(uint160(0x1000 + i)), 1), bytes32(markers[i]));
        }
        (bytes32 top, bytes32[][] memory above) = plainTree(leaves);
        bytes32 far = pair(leaf(ALICE, 1), bytes32(uint256(3 * 256 + 7)));
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(pair(top, far), 5));
        vm.prank(ADMIN);
        c.addBuckets(id, listOf(far, 5));
        for (uint256 i; i < 4; ++i) {
            bytes32[] memory proof = new bytes32[](4);
            (proof[0], proof[1], proof[2], proof[3]) = (bytes32(markers[i]), above[i][0], above[i][1], far);
            vm.prank(address(uint160(0x1000 + i)));
            c.claim(id, 1, proof);
        }
        vm.prank(ALICE);
        c.claim(id, 1, rootsOf(bytes32(uint256(3 * 256 + 7)), top));
        uint256[] memory marks = c.marksOf(id, pair(top, far), amountsOf(3, 0));
        equal(marks.length, 2, "words");
        equal(marks[0], 1 << 7, "word 3");
        equal(marks[1], (1 << 5) | (1 << 127) | (1 << 128) | (1 << 255), "word 0");
        equal(c.marksOf(id, far, amountsOf(3, 0))[0], 0, "another bucket");
        equal(c.marksOf(id, pair(top, far), new uint256[](0)).length, 0, "none");
    }

    function test_marksBelongToTheirBucket() public {
        uint256 id = open();
        bytes32 top = pair(leaf(ALICE, 5), 0);
        vm.prank(ADMIN);
        c.addBuckets(id, listOf(top, 5));
        vm.prank(ALICE);
        c.claim(id, 5, rootsOf(0));
        require(c.isClaimed(id, top, 0) && !c.isClaimed(id, root, 0), "marks");
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
    }

    /// In a faulty tree that has one index twice, the first claim takes it. The service therefore checks indices.
    function test_anIndexIsSpentOnce() public {
        bytes32 index = bytes32(uint256(3));
        bytes32 a = pair(leaf(ALICE, SHARE), index);
        bytes32 b = pair(leaf(BOB, SHARE), index);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(pair(a, b), 200));
        vm.prank(ALICE);
        c.claim(id, SHARE, rootsOf(index, b));
        claimFails(BOB, id, SHARE, rootsOf(index, a), IRewardCampaigns.AlreadyClaimed.selector);
    }

    // ------------------------------------------------------------------------------------- claimTo

    function test_theCallerMayNameAnotherReceiver() public {
        uint256 id = open();
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Claimed(id, ALICE, SHARE, root);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Redirected(id, ALICE, root, STRANGER);
        vm.prank(ALICE);
        c.claimTo(id, STRANGER, SHARE, aliceProof);
        equal(balance(STRANGER), SHARE, "paid");
        equal(balance(ALICE), 0, "not to the caller");
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.AlreadyClaimed.selector);
    }

    function test_nobodyIsPaidAtZero() public {
        uint256 id = open();
        vm.prank(ALICE);
        vm.expectRevert(IRewardCampaigns.ZeroAddress.selector);
        c.claimTo(id, address(0), SHARE, aliceProof);
    }

    function test_nobodyRedirectsAnothersClaim() public {
        uint256 id = open();
        vm.prank(STRANGER);
        vm.expectRevert(INVALID);
        c.claimTo(id, ALICE, SHARE, aliceProof);
    }

    // ----------------------------------------------------------------------------------- claimMany

    function test_severalClaimsAreAllPaid() public {
        IRewardCampaigns.ClaimCall[] memory calls = new IRewardCampaigns.ClaimCall[](2);
        calls[0] = IRewardCampaigns.ClaimCall(open(), SHARE, aliceProof);
        calls[1] = IRewardCampaigns.ClaimCall(open(), SHARE, aliceProof);
        vm.prank(ALICE);
        c.claimMany(calls);
        equal(balance(ALICE), 2 * SHARE, "paid");
        require(c.isClaimed(1, root, 0) && c.isClaimed(2, root, 0), "marks");
    }

    function test_severalClaimsAreAllOrNone() public {
        IRewardCampaigns.ClaimCall[] memory calls = new IRewardCampaigns.ClaimCall[](2);
        calls[0] = IRewardCampaigns.ClaimCall(open(), SHARE, aliceProof);
        calls[1] = calls[0];
        vm.prank(ALICE);
        vm.expectRevert(IRewardCampaigns.AlreadyClaimed.selector);
        c.claimMany(calls);
        equal(balance(ALICE), 0, "nothing");
        calls[1] = IRewardCampaigns.ClaimCall(open(), SHARE, bobProof);
        vm.prank(ALICE);
        vm.expectRevert(INVALID);
        c.claimMany(calls);
        c.claimMany(new IRewardCampaigns.ClaimCall[](0));
    }
}
