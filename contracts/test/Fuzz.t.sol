// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {Scene} from "./Scene.sol";

contract FuzzTest is Scene {
    bytes4 private constant INVALID = IRewardCampaigns.InvalidProof.selector;

    function random(uint256 seed, uint256 i, uint256 n) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, i, n)));
    }

    /// @dev Builds a tree of 1 to 16 wallets, in the service's shape or OpenZeppelin's, and its sum.
    function randomTree(uint256 seed, uint256 depth, bool isIndexed, uint256 firstIndex)
        private
        pure
        returns (bytes32 top, bytes32[][] memory proofs, address[] memory wallets, uint256[] memory amounts, uint256 sum)
    {
        uint256 n = 1 << depth;
        (wallets, amounts) = (new address[](n), new uint256[](n));
        bytes32[] memory leaves = new bytes32[](n);
        for (uint256 i; i < n; ++i) {
            wallets[i] = address(uint160(random(seed, i, 0)));
            amounts[i] = random(seed, i, 1) % 1e30;
            leaves[i] = leaf(wallets[i], amounts[i]);
            sum += amounts[i];
        }
        (top, proofs) = isIndexed ? indexedTree(leaves, firstIndex) : plainTree(leaves);
    }

    /// Each wallet of any tree is paid its amount once, and OpenZeppelin's verifier accepts the same proof.
    function testFuzz_everyWalletIsPaidOnce(uint256 seed, uint8 size, bool isIndexed, uint16 firstIndex) public {
        (bytes32 top, bytes32[][] memory proofs, address[] memory wallets, uint256[] memory amounts, uint256 sum) =
            randomTree(seed, between(size, isIndexed ? 0 : 1, 3), isIndexed, firstIndex);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, "", listOf(top, sum + 1));
        for (uint256 i; i < wallets.length; ++i) {
            require(MerkleProof.verify(proofs[i], top, leaf(wallets[i], amounts[i])), "OpenZeppelin");
            require(!c.isClaimed(id, top, uint256(proofs[i][0])), "early");
            vm.prank(wallets[i]);
            c.claim(id, amounts[i], proofs[i]);
            equal(balance(wallets[i]), amounts[i], "paid");
            require(c.isClaimed(id, top, uint256(proofs[i][0])), "mark");
            claimFails(wallets[i], id, amounts[i], proofs[i], IRewardCampaigns.AlreadyClaimed.selector);
        }
        equal(unclaimed(id, top), 1, "left");
        equal(balance(address(c)), 1, "escrow");
    }

    /// Any other caller, amount, airdrop, length or bit of the proof is refused.
    function testFuzz_noForgeryIsPaid(uint8 who, uint8 place, uint256 noise, bool isIndexed) public {
        vm.assume(noise != 0);
        (bytes32 top, bytes32[][] memory proofs, address[] memory wallets, uint256[] memory amounts, uint256 sum) =
            randomTree(noise, 3, isIndexed, 120);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, "", listOf(top, sum + 1));
        uint256 i = who % 8;
        bytes32[] memory proof = proofs[i];
        uint256 amount = amounts[i];
        vm.assume(wallets[i] != address(uint160(noise)));

        claimFails(address(uint160(noise)), id, amount, proof, INVALID);
        claimFails(wallets[(i + 1) % 8], id, amount, proof, INVALID);
        claimFails(wallets[i], id, amount ^ noise, proof, INVALID);
        unchecked {
            claimFails(wallets[i], id + noise, amount, proof, INVALID);
        }
        uint256 k = place % proof.length;
        proof[k] ^= bytes32(noise);
        claimFails(wallets[i], id, amount, proof, INVALID);
        proof[k] ^= bytes32(noise);

        bytes32[] memory shorter = new bytes32[](proof.length - 1);
        bytes32[] memory longer = new bytes32[](proof.length + 1);
        for (uint256 j; j < longer.length; ++j) {
            if (j < k) (shorter[j], longer[j]) = (proof[j], proof[j]);
            if (j > k) longer[j] = proof[j - 1];
            if (j > k && j <= shorter.length) shorter[j - 1] = proof[j];
        }
        longer[k] = bytes32(noise);
        claimFails(wallets[i], id, amount, shorter, INVALID);
        claimFails(wallets[i], id, amount, longer, INVALID);

        vm.prank(wallets[i]);
        c.claim(id, amount, proof);
        equal(balance(wallets[i]), amount, "the true one is paid");
    }

    /// Any two markers are distinct, both in the book and beside it.
    function testFuzz_markersDoNotCollide(uint256 a, uint256 b, bool aIsSmall, bool bIsSmall) public {
        if (aIsSmall) a %= 512;
        if (bIsSmall) b %= 512;
        vm.assume(a != b);
        bytes32 left = pair(leaf(ALICE, SHARE), bytes32(a));
        bytes32 right = pair(leaf(BOB, SHARE), bytes32(b));
        bytes32 top = pair(left, right);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, "", listOf(top, 2 * SHARE));
        vm.prank(ALICE);
        c.claim(id, SHARE, rootsOf(bytes32(a), right));
        require(c.isClaimed(id, top, a) && !c.isClaimed(id, top, b), "marks");
        equal(unclaimed(id, top), SHARE, "left");
        vm.prank(BOB);
        c.claim(id, SHARE, rootsOf(bytes32(b), left));
        require(c.isClaimed(id, top, b), "mark");
        equal(unclaimed(id, top), 0, "none left");
    }

    /// Any amount is paid in full when the bucket holds it and refused otherwise. The rest is refunded to the
    /// unit.
    function testFuzz_aBucketPaysUpToWhatItHolds(uint256 total, uint256 amount, uint8 marker, bool isClose) public {
        total = between(total, 1, (1 << 127) - 1);
        if (isClose) amount = total + (amount % 3) - 1;
        bytes32 top = pair(leaf(ALICE, amount), bytes32(uint256(marker)));
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, "", listOf(top, total));
        uint256 paid;
        if (amount > total) {
            claimFails(ALICE, id, amount, rootsOf(bytes32(uint256(marker))), IRewardCampaigns.InsufficientFunds.selector);
        } else {
            vm.prank(ALICE);
            c.claim(id, amount, rootsOf(bytes32(uint256(marker))));
            paid = amount;
        }
        equal(balance(ALICE), paid, "paid");
        vm.prank(ADMIN);
        c.cancel(id, rootsOf(top), BOB);
        equal(balance(BOB), total - paid, "refunded");
        require(c.isClaimed(id, top, marker) == (amount <= total), "mark");
    }

    /// Until the deadline, wallets are paid and refunds refused; after it, the reverse.
    function testFuzz_theDeadlineDividesClaimsFromRefunds(uint40 deadline, uint40 time) public {
        deadline = uint40(between(deadline, START + 1, type(uint40).max));
        time = uint40(between(time, START, type(uint40).max));
        if (time % 4 == 0) time = deadline + (time % 8 == 0 ? 0 : 1);
        uint256 id = open(200, deadline);
        vm.warp(time);
        if (time <= deadline) {
            vm.prank(ADMIN);
            vm.expectRevert(IRewardCampaigns.StillClaimable.selector);
            c.refund(id, rootsOf(root), ADMIN);
            vm.prank(ALICE);
            c.claim(id, SHARE, aliceProof);
        } else {
            claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.Expired.selector);
            vm.prank(ADMIN);
            c.refund(id, rootsOf(root), BOB);
            equal(balance(BOB), 200, "refund");
        }
    }

    /// Funding several buckets takes exactly their sum, in tokens or coin, whatever the contract holds.
    function testFuzz_fundingTakesExactlyTheSum(uint128[8] memory totals, uint8 count, bool isCoin, uint64 gift) public {
        uint256 n = between(count, 1, 8);
        IRewardCampaigns.NewBucket[] memory buckets = new IRewardCampaigns.NewBucket[](n);
        uint256 sum;
        for (uint256 i; i < n; ++i) {
            buckets[i] = IRewardCampaigns.NewBucket(bytes32(i + 1), between(totals[i], 1, (1 << 127) - 1));
            sum += buckets[i].total;
        }
        token.mint(address(c), gift);
        vm.deal(ADMIN, sum);
        uint256 before = balance(ADMIN);
        vm.prank(ADMIN);
        uint256 id = isCoin
            ? c.create{value: sum}(COIN, 0, ADMIN, "", buckets)
            : c.create(address(token), 0, ADMIN, "", buckets);
        equal(before - balance(ADMIN), isCoin ? 0 : sum, "token");
        equal(ADMIN.balance, isCoin ? 0 : sum, "coin");
        for (uint256 i; i < n; ++i) {
            equal(unclaimed(id, bytes32(i + 1)), buckets[i].total, "book");
        }
    }
}
