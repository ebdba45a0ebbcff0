// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {TestToken} from "../tokens/TestTokens.sol";
import {Base} from "./Base.sol";
import {Ledger} from "./Ledger.sol";

/// @notice Operators and wallets that call anything in any order, with a record of the expected state. A call
///         that succeeds when it should fail, or the reverse, reverts here and ends the run.
contract Handler is Base {
    struct Drop {
        bool isCoin;
        bool isCancelled;
        uint40 firstDeadline;
        uint40 deadline;
        address admin;
        address pending;
        address creator;
        bytes32 ref;
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
    uint256 private constant PAYMENTS = 5;
    uint256 private constant GAS_EACH = 200_000;
    uint256 private constant FIRST_WALLET = 0x1000;
    uint256 private constant OWNERS = 40;
    /// Receives all refunds, and the claims that wallets pay to another address.
    address public constant SINK = address(0xD00D);

    IRewardCampaigns private immutable c;
    TestToken private immutable token;
    Drop[] private drops;
    Book[] private books;
    uint256 public gifts;
    Ledger public immutable ledger = new Ledger();

    /// @dev Hands the events of a call to the ledger.
    modifier logged() {
        vm.recordLogs();
        _;
        ledger.read(address(c), vm.getRecordedLogs());
    }

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

    /// @dev Lists everyone that a claim or refund may pay.
    function receivers() external pure returns (address[] memory list) {
        list = new address[](OWNERS + 1);
        for (uint256 i; i < OWNERS; ++i) {
            list[i] = address(uint160(FIRST_WALLET + i));
        }
        list[OWNERS] = SINK;
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
            b.wallets.push(address(uint160(FIRST_WALLET + (word % OWNERS))));
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

    /// @dev Creates with one of a few refs: half of the calls repeat one, and are refused.
    function open(uint256 seed, bool isCoin, uint16 seconds_) external logged {
        if (books.length >= BOOKS_MAX) return;
        (address creator, address admin) = (admins(seed), admins(seed >> 8));
        bytes32 ref = bytes32((seed >> 16) % 5);
        uint40 deadline = seconds_ % 3 == 0 ? 0 : uint40(block.timestamp + 1 + seconds_);
        if (ref == 0 || isUsed(creator, ref)) return refuseRef(creator, ref, deadline);
        drops.push(Drop(isCoin, false, deadline, deadline, admin, address(0), creator, ref));
        IRewardCampaigns.NewBucket[] memory buckets = addBook(drops.length, seed);
        uint256 value = isCoin ? buckets[0].total : 0;
        vm.deal(creator, value);
        vm.prank(creator);
        uint256 id = c.create{value: value}(isCoin ? address(0) : address(token), deadline, admin, ref, buckets);
        equal(id, drops.length, "id");
    }

    function isUsed(address creator, bytes32 ref) private view returns (bool) {
        for (uint256 i; i < drops.length; ++i) {
            if (drops[i].creator == creator && drops[i].ref == ref) return true;
        }
        return false;
    }

    function refuseRef(address creator, bytes32 ref, uint40 deadline) private {
        bytes memory call = abi.encodeCall(c.create, (address(token), deadline, creator, ref, listOf("again", 1)));
        vm.prank(creator);
        (bool ok, bytes memory answer) = address(c).call(call);
        require(!ok && bytes4(answer) == IRewardCampaigns.RefUsed.selector, "a ref was used twice");
    }

    function add(uint256 i, uint256 seed) external logged {
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
    function claims(uint256 seed) external logged {
        if (books.length == 0) return;
        for (uint256 n; n < 6; ++n) {
            uint256 word = uint256(keccak256(abi.encode(seed, n)));
            claim(word % books.length, (word >> 16) % WALLETS, word >> 32);
        }
    }

    function isDue(Book storage b, uint256 k) private view returns (bool) {
        return !b.isPaid[k] && !isOver(drops[b.id - 1]) && b.total - b.claimed - b.refunded >= b.amounts[k];
    }

    function pay(Book storage b, uint256 k) private {
        b.isPaid[k] = true;
        b.claimed += b.amounts[k];
    }

    function claim(uint256 i, uint256 k, uint256 way) private {
        Book storage b = books[i];
        uint256 amount = b.amounts[k];
        bytes memory call = abi.encodeCall(c.claim, (b.id, amount, b.proofs[k]));
        if (way % 4 == 1) call = abi.encodeCall(c.claimTo, (b.id, SINK, amount, b.proofs[k]));
        if (way % 4 == 2) {
            IRewardCampaigns.ClaimCall[] memory list = new IRewardCampaigns.ClaimCall[](1);
            list[0] = IRewardCampaigns.ClaimCall(b.id, amount, b.proofs[k]);
            call = abi.encodeCall(c.claimMany, (list));
        }
        if (way % 4 == 3) call = abi.encodeCall(c.claimFor, (b.wallets[k], b.id, amount, b.proofs[k]));
        bool due = isDue(b, k);
        vm.prank(way % 4 == 3 ? admins(way >> 8) : b.wallets[k]);
        (bool ok,) = address(c).call(call);
        require(ok == due, "a claim: paid when not due, or refused when due");
        if (ok) pay(b, k);
    }

    /// @dev Pays out to some leaves of any buckets: some are not due, some are named twice, some are forged.
    function distribute(uint256 seed) external logged {
        if (books.length == 0) return;
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](PAYMENTS);
        uint256 due;
        for (uint256 n; n < PAYMENTS; ++n) {
            uint256 word = uint256(keccak256(abi.encode(seed, n)));
            Book storage b = books[word % books.length];
            uint256 k = (word >> 16) % WALLETS;
            bool isForged = (word >> 32) % 4 == 0;
            address account = isForged ? SINK : b.wallets[k];
            list[n] = IRewardCampaigns.Payment(account, b.id, b.amounts[k], b.proofs[k]);
            if (isForged || !isDue(b, k)) continue;
            pay(b, k);
            ++due;
        }
        vm.prank(admins(seed));
        equal(c.distribute(list, GAS_EACH), due, "a payout: paid what is not due, or skipped what is");
    }

    function extend(uint256 i, uint16 more) external logged {
        if (drops.length == 0) return;
        uint256 id = 1 + (i % drops.length);
        Drop storage d = drops[id - 1];
        // Zero, earlier, the same, or later.
        uint40 later = d.deadline == 0 ? uint40(block.timestamp) + more : d.deadline + (more % 64) - 16;
        if (more % 8 == 0) later = 0;
        vm.prank(d.admin);
        (bool ok,) = address(c).call(abi.encodeCall(c.extendDeadline, (id, later)));
        require(ok == (!isOver(d) && d.deadline != 0 && later > d.deadline), "a deadline that did not grow");
        if (ok) d.deadline = later;
    }

    function cancel(uint256 i, uint256 j) external logged {
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

    function refund(uint256 j) external logged {
        if (books.length == 0) return;
        Book storage b = books[j % books.length];
        Drop storage d = drops[b.id - 1];
        vm.prank(d.admin);
        (bool ok,) = address(c).call(abi.encodeCall(c.refund, (b.id, rootsOf(b.root, b.root), SINK)));
        require(ok == isOver(d), "refunded while claimable, or not when over");
        if (ok) b.refunded = b.total - b.claimed;
    }

    function handOver(uint256 i, uint256 to) external logged {
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
    function intrude(uint256 j, address who, bool wasAdmin) external logged {
        if (books.length == 0) return;
        Book storage b = books[j % books.length];
        Drop storage d = drops[b.id - 1];
        if (wasAdmin) who = admins(j >> 8);
        if (who == d.admin || who == d.pending || who == address(0)) return;
        bytes[6] memory calls = [
            abi.encodeCall(c.cancel, (b.id, rootsOf(b.root), who)),
            abi.encodeCall(c.refund, (b.id, rootsOf(b.root), who)),
            abi.encodeCall(c.proposeAdmin, (b.id, who)),
            abi.encodeCall(c.acceptAdmin, (b.id)),
            abi.encodeCall(c.extendDeadline, (b.id, d.deadline + 1)),
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
