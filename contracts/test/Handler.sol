// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {TestToken} from "../tokens/TestTokens.sol";
import {Base} from "./Base.sol";

/// @notice Operators and wallets that call anything in any order, with a record of the expected state. A call
///         that succeeds when it should fail, or the reverse, reverts here and ends the run.
contract Handler is Base {
    struct Drop {
        bool isCoin;
        bool isCancelled;
        uint40 deadline;
        address admin;
        address pending;
    }

    struct Book {
        uint256 id;
        bytes32 root;
        uint256 total;
        uint256 claimed;
        uint256 refunded;
        address[] wallets;
        uint256[] amounts;
        bytes32[][] proofs;
        bool[] isPaid;
    }

    uint256 private constant WALLETS = 4;
    uint256 private constant BOOKS_MAX = 12;
    /// Receives all refunds, and the claims that wallets pay to another address.
    address private constant SINK = address(0xD00D);

    IRewardCampaigns private immutable c;
    TestToken private immutable token;
    Drop[] private drops;
    Book[] private books;
    uint256 public gifts;

    constructor(IRewardCampaigns campaigns, TestToken testToken) {
        (c, token) = (campaigns, testToken);
        for (uint256 i; i < 3; ++i) {
            token.mint(admins(i), 1e60);
            vm.prank(admins(i));
            token.approve(address(c), type(uint256).max);
        }
    }

    function counts() external view returns (uint256, uint256) {
        return (drops.length, books.length);
    }

    function drop(uint256 id) public view returns (Drop memory) {
        return drops[id - 1];
    }

    function book(uint256 i) external view returns (Book memory) {
        return books[i];
    }

    function admins(uint256 i) private pure returns (address) {
        return address(uint160(0xAD00 + (i % 3)));
    }

    function isOver(Drop storage d) private view returns (bool) {
        return d.isCancelled || (d.deadline != 0 && block.timestamp > d.deadline);
    }

    /// @dev Adds a tree of either shape. Its bucket may hold too little, and wallets may be in it twice.
    function addBook(uint256 id, uint256 seed) private returns (IRewardCampaigns.NewBucket[] memory) {
        seed = uint256(keccak256(abi.encode(seed, books.length)));
        Book storage b = books.push();
        bytes32[] memory leaves = new bytes32[](WALLETS);
        uint256 sum;
        for (uint256 i; i < WALLETS; ++i) {
            uint256 word = uint256(keccak256(abi.encode(seed, i)));
            b.wallets.push(address(uint160(0x1000 + (word % 40))));
            b.amounts.push((word >> 8) % 1e20);
            b.isPaid.push(false);
            leaves[i] = leaf(b.wallets[i], b.amounts[i]);
            sum += b.amounts[i];
        }
        (bytes32 top, bytes32[][] memory proofs) =
            seed % 3 == 0 ? plainTree(leaves) : indexedTree(leaves, (seed >> 8) % 400);
        b.proofs = proofs;
        (b.id, b.root, b.total) = (id, top, seed % 4 == 0 ? 1 + sum / 2 : 1 + sum);
        return listOf(top, b.total);
    }

    function open(uint256 seed, bool isCoin, uint16 seconds_) external {
        if (books.length >= BOOKS_MAX) return;
        address admin = admins(seed);
        uint40 deadline = seconds_ % 3 == 0 ? 0 : uint40(block.timestamp + 1 + seconds_);
        drops.push(Drop(isCoin, false, deadline, admin, address(0)));
        IRewardCampaigns.NewBucket[] memory buckets = addBook(drops.length, seed);
        uint256 value = isCoin ? buckets[0].total : 0;
        vm.deal(admin, value);
        vm.prank(admin);
        uint256 id = c.create{value: value}(isCoin ? address(0) : address(token), deadline, admin, "", buckets);
        equal(id, drops.length, "id");
    }

    function add(uint256 i, uint256 seed) external {
        if (books.length >= BOOKS_MAX || drops.length == 0) return;
        uint256 id = 1 + (i % drops.length);
        Drop storage d = drops[id - 1];
        if (isOver(d)) return;
        IRewardCampaigns.NewBucket[] memory buckets = addBook(id, seed);
        uint256 value = d.isCoin ? buckets[0].total : 0;
        vm.deal(d.admin, value);
        vm.prank(d.admin);
        c.addBuckets{value: value}(id, buckets);
    }

    /// @dev Makes several claims at once: an ordinary run would otherwise have few.
    function claims(uint256 seed) external {
        if (books.length == 0) return;
        for (uint256 n; n < 6; ++n) {
            uint256 word = uint256(keccak256(abi.encode(seed, n)));
            claim(word % books.length, (word >> 16) % WALLETS, word >> 32);
        }
    }

    function claim(uint256 i, uint256 k, uint256 way) private {
        Book storage b = books[i];
        uint256 amount = b.amounts[k];
        bytes memory call = abi.encodeCall(c.claim, (b.id, amount, b.proofs[k]));
        if (way % 3 == 1) call = abi.encodeCall(c.claimTo, (b.id, SINK, amount, b.proofs[k]));
        if (way % 3 == 2) {
            IRewardCampaigns.ClaimCall[] memory list = new IRewardCampaigns.ClaimCall[](1);
            list[0] = IRewardCampaigns.ClaimCall(b.id, amount, b.proofs[k]);
            call = abi.encodeCall(c.claimMany, (list));
        }
        bool isDue = !b.isPaid[k] && !isOver(drops[b.id - 1]) && b.total - b.claimed - b.refunded >= amount;
        vm.prank(b.wallets[k]);
        (bool ok,) = address(c).call(call);
        require(ok == isDue, "a claim: paid when not due, or refused when due");
        if (!ok) return;
        b.isPaid[k] = true;
        b.claimed += amount;
    }

    function cancel(uint256 i, uint256 j) external {
        if (drops.length == 0 || i % 4 != 0) return; // rarely: it ends an airdrop
        uint256 id = 1 + (i / 4) % drops.length;
        Drop storage d = drops[id - 1];
        Book storage b = books[j % books.length];
        bool isNamed = b.id == id;
        bytes32[] memory roots = isNamed ? rootsOf(b.root) : new bytes32[](0);
        vm.prank(d.admin);
        (bool ok,) = address(c).call(abi.encodeCall(c.cancel, (id, roots, SINK)));
        require(ok != d.isCancelled, "cancelled when not active, or not when active");
        if (ok && isNamed) b.refunded = b.total - b.claimed;
        d.isCancelled = true;
    }

    function refund(uint256 j) external {
        if (books.length == 0) return;
        Book storage b = books[j % books.length];
        Drop storage d = drops[b.id - 1];
        vm.prank(d.admin);
        (bool ok,) = address(c).call(abi.encodeCall(c.refund, (b.id, rootsOf(b.root, b.root), SINK)));
        require(ok == isOver(d), "refunded while claimable, or not when over");
        if (ok) b.refunded = b.total - b.claimed;
    }

    function handOver(uint256 i, uint256 to) external {
        if (drops.length == 0) return;
        Drop storage d = drops[i % drops.length];
        uint256 id = 1 + (i % drops.length);
        if (to % 2 == 0) {
            d.pending = to % 8 == 0 ? address(0) : admins(to / 2);
            vm.prank(d.admin);
            c.proposeAdmin(id, d.pending);
        } else {
            address next = admins(to / 2);
            vm.prank(next);
            (bool ok,) = address(c).call(abi.encodeCall(c.acceptAdmin, (id)));
            require(ok == (next == d.pending), "accepted by another, or not by the one proposed");
            if (ok) (d.admin, d.pending) = (next, address(0));
        }
    }

    /// @dev An address that is not the admin cannot change an airdrop, even a former or proposed admin.
    function intrude(uint256 j, address who, bool wasAdmin) external {
        if (books.length == 0) return;
        Book storage b = books[j % books.length];
        Drop storage d = drops[b.id - 1];
        if (wasAdmin) who = admins(j >> 8);
        if (who == d.admin || who == d.pending || who == address(0)) return;
        bytes[5] memory calls = [
            abi.encodeCall(c.cancel, (b.id, rootsOf(b.root), who)),
            abi.encodeCall(c.refund, (b.id, rootsOf(b.root), who)),
            abi.encodeCall(c.proposeAdmin, (b.id, who)),
            abi.encodeCall(c.acceptAdmin, (b.id)),
            abi.encodeCall(c.addBuckets, (b.id, listOf("theirs", 1)))
        ];
        for (uint256 n; n < calls.length; ++n) {
            vm.prank(who);
            (bool ok,) = address(c).call(calls[n]);
            require(!ok, "an intruder");
        }
    }

    function give(uint256 amount) external {
        amount %= 1e20;
        token.mint(address(c), amount);
        gifts += amount;
    }

    function pass(uint16 seconds_) external {
        vm.warp(block.timestamp + seconds_ / 8);
    }
}
