// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @title The campaign contract
/// @notice One immutable contract on each chain escrows any number of airdrops, each of one ERC-20 token or of
///         the chain's native coin. An airdrop is (chain id, this contract, id). There is no owner, pause, fee
///         or upgrade: only an airdrop's own admin controls it.
/// @dev Amounts are base units of the token (wei of the native coin), times are Unix seconds.
///
///      Trees. leaf = keccak256(keccak256(abi.encode(account, amount))), node = keccak256(sorted pair): both
///      as in OpenZeppelin's StandardMerkleTree. Its verifiers accept every proof that is accepted here.
///
///      Buckets. An airdrop has one or more buckets. A bucket is a tree with its own escrow, found by its root.
///
///      Markers. The first element of a proof is the leaf's sibling. A leaf has one sibling, so the sibling
///      identifies the leaf, and is marked as claimed. Trees that pair every leaf with bytes32(index), index 0
///      to 127, have their marks in the word that holds the bucket's escrow. Of larger indices, 256 share a
///      word. A plain OpenZeppelin tree works as well: each claim then writes a separate word.
interface IRewardCampaigns {
    /// @param None no airdrop has this id
    /// @param Active claims are paid until the deadline
    /// @param Cancelled no claim is paid any more
    enum Status {
        None,
        Active,
        Cancelled
    }

    /// @param root of the tree, not zero
    /// @param total amount escrowed for it, 1 to 2**127 - 1 base units
    struct NewBucket {
        bytes32 root;
        uint256 total;
    }

    /// @param id of the airdrop
    /// @param amount the caller's allocation, in base units
    /// @param proof of (caller, amount), the leaf's sibling first
    struct ClaimCall {
        uint256 id;
        uint256 amount;
        bytes32[] proof;
    }

    /// @param account the wallet in the tree, which is paid
    /// @param id of the airdrop
    /// @param amount the account's allocation, in base units
    /// @param proof of (account, amount), the leaf's sibling first
    struct Payment {
        address account;
        uint256 id;
        uint256 amount;
        bytes32[] proof;
    }

    /// @dev Every bucket's balance can be computed from the events alone: {BucketsAdded} adds, {Claimed} and
    ///      {Refunded} subtract, and each names the root.
    ///
    /// @param ref the creator's name for it, which this creator cannot use again
    /// @param creator the caller of {create}
    /// @param token address(0) is the native coin
    /// @param deadline last second at which a claim is paid, 0 for none
    event AirdropCreated(
        uint256 indexed id,
        address indexed admin,
        bytes32 indexed ref,
        address creator,
        address token,
        uint256 deadline
    );

    /// @param deadline the new one; it is later than the one before
    event DeadlineExtended(uint256 indexed id, uint256 deadline);

    /// @notice Emitted once for each call that funds, with the buckets in the caller's order.
    event BucketsAdded(uint256 indexed id, NewBucket[] buckets);

    /// @notice The allocation of `account` was taken out of the bucket `root` and paid to `account`, unless
    ///         {Redirected} follows.
    event Claimed(uint256 indexed id, address indexed account, uint256 amount, bytes32 root);

    /// @notice The claim in this contract's log just before is paid to `to` and not to `account`.
    event Redirected(uint256 indexed id, address indexed account, bytes32 root, address to);

    /// @notice {distribute} did not pay. Anyone can cause this event for any values: it proves nothing.
    /// @param reason the error's selector; zero when the payment's gas was used up
    event Skipped(uint256 indexed id, address indexed account, uint256 amount, bytes4 reason);

    event AirdropCancelled(uint256 indexed id);

    /// @param amount the sum of `amounts`, 0 when nothing was left in the buckets
    /// @param roots as the admin named them; an unknown root and a repeated one have the amount 0
    /// @param amounts of each root, in the same order
    event Refunded(uint256 indexed id, address to, uint256 amount, bytes32[] roots, uint256[] amounts);

    /// @param pendingAdmin address(0) withdraws the last proposal
    event AdminProposed(uint256 indexed id, address pendingAdmin);

    event AdminChanged(uint256 indexed id, address admin);

    /// @notice No bucket of the airdrop has the root computed from the account, the amount and the proof.
    error InvalidProof();
    /// @notice The leaf was paid before.
    error AlreadyClaimed();
    /// @notice The bucket holds less than the amount: its tree promises more than was escrowed.
    error InsufficientFunds();
    /// @notice The airdrop was cancelled.
    error NotActive();
    /// @notice The deadline has passed.
    error Expired();
    /// @notice A refund was requested while wallets may still claim.
    error StillClaimable();
    /// @notice The caller is not the airdrop's admin, or not the proposed admin.
    error NotAdmin();
    /// @notice The admin is missing, the deadline is not in the future, or a new one is not later.
    error InvalidTerms();
    /// @notice The ref is zero, or the caller has created an airdrop with it.
    error RefUsed();
    /// @notice A bucket has no root or an amount out of bounds, or the airdrop already has it.
    error InvalidBucket();
    /// @notice The amount that arrived is not the buckets' sum: a wrong value, a fee, or a payment in between.
    error WrongAmountReceived();
    /// @notice The receiver is address(0), which is never paid.
    error ZeroAddress();
    /// @notice Funding was called from within funding.
    error Reentered();
    /// @notice The token did not transfer the sum: no approval, no balance, no contract, or it returned false.
    error TransferFromFailed();
    /// @notice The token did not transfer the payment.
    error TransferFailed();
    /// @notice The gas that is left does not suffice to give the next payment its part.
    error NotEnoughGas();
    /// @notice The receiver did not accept the coin.
    error ETHTransferFailed();

    // ------------------------------------------------------------------------------------ operators

    /// @notice Opens an airdrop and escrows its buckets.
    ///
    /// Requirements:
    /// - `admin` is not zero; `deadline` is 0 or in the future. {InvalidTerms}
    /// - `ref` is not zero, and new for this caller: a call that is repeated cannot escrow twice. {RefUsed}
    /// - Every bucket: root not zero, total 1 to 2**127 - 1, no root twice. {InvalidBucket}
    /// - Native coin: the value sent is the sum of the totals. Token: no value is sent, the sum is approved,
    ///   and exactly the sum arrives. {WrongAmountReceived}
    /// - Not called while this contract pulls a token. {Reentered}
    ///
    /// @param token address(0) for the native coin. Tokens that take a fee are refused. Tokens whose balances
    ///        change by themselves must not be used: wallets would share the loss
    /// @param deadline last second at which a claim is paid, 0 for none
    /// @param admin may add buckets, cancel, and take refunds; need not be the caller
    /// @param ref any name that the caller chooses, used up for this caller even when the airdrop has ended
    /// @param buckets may be empty: {addBuckets} adds more
    /// @return id counts from 1
    function create(address token, uint40 deadline, address admin, bytes32 ref, NewBucket[] calldata buckets)
        external
        payable
        returns (uint256 id);

    /// @notice Adds funded buckets, paid by the caller.
    ///
    /// Requirements: as {create} for buckets and funds; the caller is the admin {NotAdmin}; the airdrop
    /// is active {NotActive} and not past its deadline {Expired}.
    function addBuckets(uint256 id, NewBucket[] calldata buckets) external payable;

    /// @notice Gives wallets more time. An airdrop without a deadline needs none.
    ///
    /// Requirements: the caller is the admin {NotAdmin}; the airdrop is active {NotActive} and not past its
    /// deadline {Expired}; it has a deadline, and `later` is later {InvalidTerms}.
    ///
    /// @param later last second at which a claim is paid
    function extendDeadline(uint256 id, uint40 later) external;

    /// @notice Ends an airdrop at once and permanently, and refunds `roots` to `to` in the same call.
    ///
    /// Requirements: the caller is the admin {NotAdmin}; it is active {NotActive}; `to` is not zero unless
    /// `roots` is empty {ZeroAddress}.
    ///
    /// @param roots buckets to refund now, as in {refund}; may be empty
    function cancel(uint256 id, bytes32[] calldata roots, address to) external;

    /// @notice Pays the unclaimed rest of `roots` to `to`.
    ///
    /// Requirements: the caller is the admin {NotAdmin}; the airdrop is cancelled or past its deadline
    /// {StillClaimable}; `to` is not zero {ZeroAddress}.
    ///
    /// @param roots unknown ones, repeated ones and empty buckets add nothing
    function refund(uint256 id, bytes32[] calldata roots, address to) external;

    /// @notice Proposes an admin, who takes over with {acceptAdmin}; replaces an earlier proposal.
    /// @param pendingAdmin address(0) withdraws the proposal
    function proposeAdmin(uint256 id, address pendingAdmin) external;

    /// @notice Makes the caller the admin. Requirement: the caller was proposed {NotAdmin}.
    function acceptAdmin(uint256 id) external;

    // -------------------------------------------------------------------------------------- wallets

    /// @notice Pays the caller its allocation.
    ///
    /// Requirements: the proof holds for (caller, amount) {InvalidProof}; the airdrop is active {NotActive} and
    /// not past its deadline {Expired}; the leaf was not paid yet {AlreadyClaimed}; the bucket has the amount
    /// {InsufficientFunds}; the token or coin can be sent.
    ///
    /// @param amount exactly the allocation: a claim cannot be partial
    /// @param proof the leaf's sibling first; never empty
    function claim(uint256 id, uint256 amount, bytes32[] calldata proof) external;

    /// @notice Pays the caller's allocation to `to`, for callers that cannot receive the token or coin.
    /// Requirements: as {claim}; `to` is not zero {ZeroAddress}.
    function claimTo(uint256 id, address to, uint256 amount, bytes32[] calldata proof) external;

    /// @notice Pays several claims of the caller: all of them, or none.
    function claimMany(ClaimCall[] calldata calls) external;

    // --------------------------------------------------------------------------------------- anyone

    /// @notice Pays an account its allocation, to the account itself; the caller only pays for the gas.
    /// Requirements: as {claim}, of `account`.
    function claimFor(address account, uint256 id, uint256 amount, bytes32[] calldata proof) external;

    /// @notice Pays many accounts as {claimFor} does. A payment that fails for whatever reason is skipped and
    ///         logged, and has no effect: the leaf stays as it was. The others are paid.
    ///
    /// Requirements: before each payment, there is gas for it and for the call {NotEnoughGas}. So an estimate of
    /// the gas covers payments, not skipped ones, unless receivers spend more than they did for the estimate.
    ///
    /// @param gasEach most gas that one payment may take. A hostile token or receiver can spend that much of the
    ///        caller's gas, and no more
    /// @return paid the number of payments that were made
    function distribute(Payment[] calldata payments, uint256 gasEach) external returns (uint256 paid);

    // ---------------------------------------------------------------------------------------- views

    /// @return The number of airdrops, which is the newest one's id.
    function airdropCount() external view returns (uint128);

    /// @notice Returns the id of the airdrop that `creator` created with `ref`, 0 when there is none.
    function idOf(address creator, bytes32 ref) external view returns (uint256 id);

    /// @notice Returns an airdrop's terms; zeros when there is none.
    function airdrop(uint256 id)
        external
        view
        returns (address token, uint40 deadline, Status status, address admin, address pendingAdmin);

    /// @return exists whether the airdrop has the bucket; stays true once it is paid out
    /// @return unclaimed the amount that it still holds, in base units
    function bucket(uint256 id, bytes32 root) external view returns (bool exists, uint256 unclaimed);

    /// @param marker the first element of the wallet's proof, as a number
    function isClaimed(uint256 id, bytes32 root, uint256 marker) external view returns (bool);

    /// @notice Reads many marks at once: 256 of them a word.
    /// @param words word w is that of markers 256 * w to 256 * w + 255; a bucket of 128 wallets has word 0 only
    /// @return marks for each word, whose bit i is set when marker 256 * w + i is claimed
    function marksOf(uint256 id, bytes32 root, uint256[] calldata words)
        external
        view
        returns (uint256[] memory marks);
}
