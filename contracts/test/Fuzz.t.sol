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
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, sum + 1));
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
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, sum + 1));
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
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, 2 * SHARE));
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
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(top, total));
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
            ? c.create{value: sum}(COIN, 0, ADMIN, newRef(), buckets)
            : c.create(address(token), 0, ADMIN, newRef(), buckets);
        equal(before - balance(ADMIN), isCoin ? 0 : sum, "token");
        equal(ADMIN.balance, isCoin ? 0 : sum, "coin");
        for (uint256 i; i < n; ++i) {
            equal(unclaimed(id, bytes32(i + 1)), buckets[i].total, "book");
        }
    }

    /// Whichever of the five ways comes first pays a leaf, and none pays it again.
    function testFuzz_aLeafIsPaidOnceByWhicheverWay(uint8 first, uint8 second, bool isCoin, uint64 gift) public {
        uint256 id = isCoin ? openCoin() : open();
        token.mint(address(c), gift);
        require(goes(first % 5, id), "the first way pays");
        require(!goes(second % 5, id), "the second way does not");
        equal(isCoin ? ALICE.balance : balance(ALICE), SHARE, "paid once");
        holdsUnclaimed(id, SHARE);
    }

    /// @return isPaid whether Alice's share left its bucket
    function goes(uint256 way, uint256 id) private returns (bool isPaid) {
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](1);
        list[0] = payment(id, ALICE, aliceProof);
        IRewardCampaigns.ClaimCall[] memory own = new IRewardCampaigns.ClaimCall[](1);
        own[0] = IRewardCampaigns.ClaimCall(id, SHARE, aliceProof);
        bytes memory call = abi.encodeCall(c.claim, (id, SHARE, aliceProof));
        if (way == 1) call = abi.encodeCall(c.claimTo, (id, ALICE, SHARE, aliceProof));
        if (way == 2) call = abi.encodeCall(c.claimMany, (own));
        if (way == 3) call = abi.encodeCall(c.claimFor, (ALICE, id, SHARE, aliceProof));
        if (way == 4) call = abi.encodeCall(c.distribute, (list, 1e6));
        uint256 held = unclaimed(id, root);
        vm.prank(ALICE);
        (bool ok,) = address(c).call(call);
        isPaid = unclaimed(id, root) == held - SHARE;
        require(ok == (isPaid || way == 4), "only a payout goes on without paying");
    }

    struct Tree {
        bytes32 top;
        bytes32[][] proofs;
        address[] wallets;
        uint256[] amounts;
        uint256 sum;
        bool[] isNamed;
        uint256 named;
        uint256 namedSum;
    }

    /// A payout of any part of a tree, in any order and with leaves named twice, pays each named leaf once.
    function testFuzz_aPayoutPaysEachNamedLeafOnce(uint256 seed, uint8 size, uint8 count, bool isIndexed) public {
        Tree memory t;
        (t.top, t.proofs, t.wallets, t.amounts, t.sum) = randomTree(seed, between(size, 1, 3), isIndexed, 120);
        vm.prank(ADMIN);
        uint256 id = c.create(address(token), 0, ADMIN, newRef(), listOf(t.top, t.sum + 1));
        IRewardCampaigns.Payment[] memory list = namePayments(t, id, seed, count % 16);
        vm.prank(STRANGER);
        equal(c.distribute(list, 1e6), t.named, "number paid");
        for (uint256 i; i < t.wallets.length; ++i) {
            equal(balance(t.wallets[i]), t.isNamed[i] ? t.amounts[i] : 0, "paid");
            uint256 marker = uint256(t.proofs[i][0]);
            require(c.isClaimed(id, t.top, marker) == t.isNamed[i], "mark");
            uint256 word = c.marksOf(id, t.top, amountsOf(marker >> 8))[0];
            require(((word >> (marker & 0xff)) & 1 == 1) == t.isNamed[i], "mark in its word");
        }
        equal(unclaimed(id, t.top), t.sum + 1 - t.namedSum, "left");
    }

    function namePayments(Tree memory t, uint256 id, uint256 seed, uint256 count)
        private
        pure
        returns (IRewardCampaigns.Payment[] memory list)
    {
        list = new IRewardCampaigns.Payment[](count);
        t.isNamed = new bool[](t.wallets.length);
        for (uint256 n; n < count; ++n) {
            uint256 i = random(seed, n, 2) % t.wallets.length;
            list[n] = IRewardCampaigns.Payment(t.wallets[i], id, t.amounts[i], t.proofs[i]);
            if (t.isNamed[i]) continue;
            t.isNamed[i] = true;
            ++t.named;
            t.namedSum += t.amounts[i];
        }
    }

    /// A deadline moves later, and nowhere else.
    function testFuzz_aDeadlineOnlyMovesLater(uint40 deadline, uint40 later, bool isClose) public {
        deadline = uint40(between(deadline, START + 1, type(uint40).max - 1));
        if (isClose) later = deadline - 1 + later % 3;
        uint256 id = open(200, deadline);
        if (later <= deadline) vm.expectRevert(IRewardCampaigns.InvalidTerms.selector);
        vm.prank(ADMIN);
        c.extendDeadline(id, later);
        (, uint40 now_,,,) = c.airdrop(id);
        equal(now_, later > deadline ? later : deadline, "the later of both");
    }
}
