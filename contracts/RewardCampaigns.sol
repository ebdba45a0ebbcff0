// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";
import {IRewardCampaigns} from "./IRewardCampaigns.sol";

/// @title RewardCampaigns
/// @dev Three rules keep it safe. A payment makes its external call last, after its state is final. A bucket
///      pays at most its own escrow, so a wrong tree or a hostile token cannot reach the funds of another
///      bucket or of another token. Funding cannot be re-entered, and counts the amount that arrived.
contract RewardCampaigns is IRewardCampaigns {
    using SafeTransferLib for address;

    struct Airdrop {
        address token;
        uint40 deadline;
        Status status; // shares a word with token and deadline: a claim reads nothing else of an airdrop
        address admin;
        address pendingAdmin;
        mapping(bytes32 root => Bucket) buckets;
    }

    struct Bucket {
        /// marks of markers 0 to 127 (128 bits) | EXISTS (1 bit) | unclaimed base units (127 bits)
        uint256 book;
        /// marks of all other markers, 256 in each word
        mapping(uint256 word => uint256 marks) marks;
    }

    uint256 private constant EXISTS = 1 << 127;
    uint256 private constant AMOUNT_MAX = EXISTS - 1;
    /// Markers below this number have their marks in the book, from this bit upwards.
    uint256 private constant BOOK_MARKS = 128;
    /// Covers what {distribute} does between its look at the gas and a payment.
    uint256 private constant HAND_OVER_GAS = 5_000;

    /// @inheritdoc IRewardCampaigns
    uint128 public airdropCount;
    bool private _isFunding;
    /// @inheritdoc IRewardCampaigns
    mapping(address creator => mapping(bytes32 ref => uint256 id)) public idOf;
    mapping(uint256 id => Airdrop) private _airdrops;

    // ------------------------------------------------------------------------------------ operators

    /// @inheritdoc IRewardCampaigns
    function create(address token, uint40 deadline, address admin, bytes32 ref, NewBucket[] calldata buckets)
        external
        payable
        returns (uint256 id)
    {
        if (admin == address(0) || (deadline != 0 && deadline <= block.timestamp)) revert InvalidTerms();
        if (ref == 0 || idOf[msg.sender][ref] != 0) revert RefUsed();
        id = ++airdropCount;
        idOf[msg.sender][ref] = id;
        Airdrop storage a = _airdrops[id];
        (a.token, a.deadline, a.status, a.admin) = (token, deadline, Status.Active, admin);
        emit AirdropCreated(id, admin, ref, msg.sender, token, deadline);
        _addBuckets(a, id, buckets);
    }

    /// @inheritdoc IRewardCampaigns
    function addBuckets(uint256 id, NewBucket[] calldata buckets) external payable {
        _addBuckets(_getOpenAsAdmin(id), id, buckets);
    }

    /// @inheritdoc IRewardCampaigns
    function extendDeadline(uint256 id, uint40 later) external {
        Airdrop storage a = _getOpenAsAdmin(id);
        uint40 deadline = a.deadline;
        if (deadline == 0 || later <= deadline) revert InvalidTerms();
        a.deadline = later;
        emit DeadlineExtended(id, later);
    }

    /// @inheritdoc IRewardCampaigns
    function cancel(uint256 id, bytes32[] calldata roots, address to) external {
        Airdrop storage a = _getAsAdmin(id);
        if (a.status != Status.Active) revert NotActive();
        a.status = Status.Cancelled;
        emit AirdropCancelled(id);
        if (roots.length != 0) _refund(a, id, roots, to);
    }

    /// @inheritdoc IRewardCampaigns
    function refund(uint256 id, bytes32[] calldata roots, address to) external {
        Airdrop storage a = _getAsAdmin(id);
        if (a.status == Status.Active && !_isPast(a.deadline)) revert StillClaimable();
        _refund(a, id, roots, to);
    }

    /// @inheritdoc IRewardCampaigns
    function proposeAdmin(uint256 id, address pendingAdmin) external {
        _getAsAdmin(id).pendingAdmin = pendingAdmin;
        emit AdminProposed(id, pendingAdmin);
    }

    /// @inheritdoc IRewardCampaigns
    function acceptAdmin(uint256 id) external {
        Airdrop storage a = _airdrops[id];
        if (msg.sender != a.pendingAdmin) revert NotAdmin();
        (a.admin, a.pendingAdmin) = (msg.sender, address(0));
        emit AdminChanged(id, msg.sender);
    }

    // -------------------------------------------------------------------------------------- wallets

    /// @inheritdoc IRewardCampaigns
    function claim(uint256 id, uint256 amount, bytes32[] calldata proof) external {
        _claim(id, msg.sender, amount, proof);
    }

    /// @inheritdoc IRewardCampaigns
    function claimTo(uint256 id, address to, uint256 amount, bytes32[] calldata proof) external {
        if (to == address(0)) revert ZeroAddress();
        (address token, bytes32 root) = _take(id, msg.sender, amount, proof);
        emit Redirected(id, msg.sender, root, to);
        _pay(token, to, amount);
    }

    /// @inheritdoc IRewardCampaigns
    function claimMany(ClaimCall[] calldata calls) external {
        for (uint256 i; i < calls.length; ++i) {
            _claim(calls[i].id, msg.sender, calls[i].amount, calls[i].proof);
        }
    }

    // --------------------------------------------------------------------------------------- anyone

    /// @inheritdoc IRewardCampaigns
    function claimFor(address account, uint256 id, uint256 amount, bytes32[] calldata proof) external {
        _claim(id, account, amount, proof);
    }

    /// @inheritdoc IRewardCampaigns
    function distribute(Payment[] calldata payments, uint256 gasEach) external returns (uint256 paid) {
        for (uint256 i; i < payments.length; ++i) {
            Payment calldata p = payments[i];
            // A call gets at most 63/64 of the gas that is left: a payment must not fail for the lack of it.
            if (gasleft() < gasEach + gasEach / 63 + HAND_OVER_GAS) revert NotEnoughGas();
            // A call of its own: what fails in it is undone, and it can spend no more than its gas. Its error
            // is short, because nothing here passes on what a token or receiver returns.
            try this.claimFor{gas: gasEach}(p.account, p.id, p.amount, p.proof) {
                ++paid;
            } catch (bytes memory reason) {
                emit Skipped(p.id, p.account, p.amount, bytes4(reason));
            }
        }
    }

    // ---------------------------------------------------------------------------------------- views

    /// @inheritdoc IRewardCampaigns
    function airdrop(uint256 id)
        external
        view
        returns (address token, uint40 deadline, Status status, address admin, address pendingAdmin)
    {
        Airdrop storage a = _airdrops[id];
        return (a.token, a.deadline, a.status, a.admin, a.pendingAdmin);
    }

    /// @inheritdoc IRewardCampaigns
    function bucket(uint256 id, bytes32 root) external view returns (bool exists, uint256 unclaimed) {
        uint256 book = _airdrops[id].buckets[root].book;
        return (book & EXISTS != 0, book & AMOUNT_MAX);
    }

    /// @inheritdoc IRewardCampaigns
    function isClaimed(uint256 id, bytes32 root, uint256 marker) external view returns (bool) {
        return _readMarks(_airdrops[id].buckets[root], marker >> 8) & (1 << (marker & 0xff)) != 0;
    }

    /// @inheritdoc IRewardCampaigns
    function marksOf(uint256 id, bytes32 root, uint256[] calldata words)
        external
        view
        returns (uint256[] memory marks)
    {
        Bucket storage b = _airdrops[id].buckets[root];
        marks = new uint256[](words.length);
        for (uint256 i; i < words.length; ++i) {
            marks[i] = _readMarks(b, words[i]);
        }
    }

    // ------------------------------------------------------------------------------------- internal

    function _claim(uint256 id, address account, uint256 amount, bytes32[] calldata proof) private {
        (address token,) = _take(id, account, amount, proof);
        _pay(token, account, amount);
    }

    /// @dev Marks a leaf as paid and takes its amount out of its bucket. The caller pays.
    function _take(uint256 id, address account, uint256 amount, bytes32[] calldata proof)
        private
        returns (address token, bytes32 root)
    {
        uint256 marker;
        (root, marker) = _computeRoot(account, amount, proof);
        Airdrop storage a = _airdrops[id];
        Bucket storage b = a.buckets[root];

        uint256 book = b.book;
        if (book & EXISTS == 0) revert InvalidProof();
        token = a.token;
        if (a.status != Status.Active) revert NotActive();
        if (_isPast(a.deadline)) revert Expired();

        if (marker < BOOK_MARKS) {
            uint256 mark = 1 << BOOK_MARKS << marker;
            if (book & mark != 0) revert AlreadyClaimed();
            book |= mark;
        } else {
            uint256 marks = b.marks[marker >> 8];
            uint256 mark = 1 << (marker & 0xff);
            if (marks & mark != 0) revert AlreadyClaimed();
            b.marks[marker >> 8] = marks | mark;
        }
        if (amount > book & AMOUNT_MAX) revert InsufficientFunds();
        unchecked {
            b.book = book - amount; // cannot borrow from the bits above: see the line before
        }
        emit Claimed(id, account, amount, root);
    }

    function _addBuckets(Airdrop storage a, uint256 id, NewBucket[] calldata buckets) private {
        if (_isFunding) revert Reentered();
        _isFunding = true;
        uint256 total;
        for (uint256 i; i < buckets.length; ++i) {
            (bytes32 root, uint256 amount) = (buckets[i].root, buckets[i].total);
            Bucket storage b = a.buckets[root];
            if (root == 0 || amount == 0 || amount > AMOUNT_MAX || b.book != 0) revert InvalidBucket();
            b.book = EXISTS | amount;
            total += amount;
        }
        emit BucketsAdded(id, buckets);

        address token = a.token;
        if (token == address(0)) {
            if (msg.value != total) revert WrongAmountReceived();
        } else {
            if (msg.value != 0) revert WrongAmountReceived();
            uint256 held = token.balanceOf(address(this));
            // Called for a total of 0 as well: it refuses a token without code.
            token.safeTransferFrom(msg.sender, address(this), total);
            // Refuses a fee, and a claim or refund of the same token from within the transfer.
            if (token.balanceOf(address(this)) != held + total) revert WrongAmountReceived();
        }
        _isFunding = false;
    }

    function _refund(Airdrop storage a, uint256 id, bytes32[] calldata roots, address to) private {
        if (to == address(0)) revert ZeroAddress();
        uint256 total;
        uint256[] memory amounts = new uint256[](roots.length);
        for (uint256 i; i < roots.length; ++i) {
            Bucket storage b = a.buckets[roots[i]];
            uint256 book = b.book;
            uint256 left = book & AMOUNT_MAX;
            b.book = book - left; // EXISTS and the marks stay
            amounts[i] = left;
            total += left;
        }
        emit Refunded(id, to, total, roots, amounts);
        if (total != 0) _pay(a.token, to, total);
    }

    function _pay(address token, address to, uint256 amount) private {
        if (token == address(0)) to.safeTransferETH(amount);
        else token.safeTransfer(to, amount);
    }

    function _getAsAdmin(uint256 id) private view returns (Airdrop storage a) {
        a = _airdrops[id];
        if (msg.sender != a.admin) revert NotAdmin();
    }

    function _getOpenAsAdmin(uint256 id) private view returns (Airdrop storage a) {
        a = _getAsAdmin(id);
        if (a.status != Status.Active) revert NotActive();
        if (_isPast(a.deadline)) revert Expired();
    }

    /// @dev Reads the marks of markers 256 * word to 256 * word + 255.
    function _readMarks(Bucket storage b, uint256 word) private view returns (uint256 marks) {
        marks = b.marks[word];
        if (word == 0) marks |= b.book >> BOOK_MARKS;
    }

    function _isPast(uint256 deadline) private view returns (bool) {
        return deadline != 0 && block.timestamp > deadline;
    }

    /// @dev Computes the root from (account, amount) and the proof, as OpenZeppelin's MerkleProof does. Written
    ///      in assembly: the library's loop costs a claim 2 % more gas with 128 wallets, 3 % with a million.
    function _computeRoot(address account, uint256 amount, bytes32[] calldata proof)
        private
        pure
        returns (bytes32 node, uint256 marker)
    {
        // The sibling is marked as claimed: a leaf without one could be claimed repeatedly.
        if (proof.length == 0) revert InvalidProof();
        assembly ("memory-safe") {
            // Scratch space, 0x00 to 0x3f, holds the two words to hash.
            mstore(0x00, account)
            mstore(0x20, amount)
            mstore(0x00, keccak256(0x00, 0x40))
            node := keccak256(0x00, 0x20)
            let offset := proof.offset
            let end := add(offset, shl(5, proof.length))
            marker := calldataload(offset)
            for {} 1 {} {
                let sibling := calldataload(offset)
                let place := shl(5, gt(node, sibling)) // the larger of the pair goes second
                mstore(place, node)
                mstore(xor(place, 0x20), sibling)
                node := keccak256(0x00, 0x40)
                offset := add(offset, 0x20)
                if eq(offset, end) { break }
            }
        }
    }
}
