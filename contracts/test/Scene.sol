// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {TestToken} from "../tokens/TestTokens.sol";
import {Base} from "./Base.sol";

/// @notice A contract, a token that the admin holds, and a tree of two wallets with 100 each.
abstract contract Scene is Base {
    IRewardCampaigns internal c;
    TestToken internal token;

    address internal constant ADMIN = address(0xAD);
    address internal constant ALICE = address(0xA11CE);
    address internal constant BOB = address(0xB0B);
    address internal constant STRANGER = address(0x57A);
    address internal constant COIN = address(0);
    uint256 internal constant START = 1e9;
    uint256 internal constant SHARE = 100;

    /// The root of the tree of two.
    bytes32 internal root;
    bytes32[] internal aliceProof;
    bytes32[] internal bobProof;
    /// A root that no test tree has.
    bytes32 internal constant OTHER_ROOT = keccak256("another tree");
    uint256 private refs;

    function setUp() public virtual {
        vm.warp(START);
        c = deployCampaigns();
        token = new TestToken("Test", "TEST", 18);
        token.mint(ADMIN, 1e60);
        vm.prank(ADMIN);
        token.approve(address(c), type(uint256).max);
        vm.deal(ADMIN, 1e30);

        bytes32[] memory leaves = new bytes32[](2);
        (leaves[0], leaves[1]) = (leaf(ALICE, SHARE), leaf(BOB, SHARE));
        bytes32[][] memory proofs;
        (root, proofs) = indexedTree(leaves, 0);
        (aliceProof, bobProof) = (proofs[0], proofs[1]);
    }

    /// @dev Makes a ref that no airdrop has yet.
    function newRef() internal returns (bytes32) {
        return bytes32(++refs);
    }

    function open() internal returns (uint256 id) {
        return open(2 * SHARE, 0);
    }

    function open(uint256 total, uint40 deadline) internal returns (uint256 id) {
        vm.prank(ADMIN);
        return c.create(address(token), deadline, ADMIN, newRef(), listOf(root, total));
    }

    function openCoin() internal returns (uint256 id) {
        vm.prank(ADMIN);
        return c.create{value: 2 * SHARE}(COIN, 0, ADMIN, newRef(), listOf(root, 2 * SHARE));
    }

    function cancelled() internal returns (uint256 id) {
        id = open();
        vm.prank(ADMIN);
        c.cancel(id, new bytes32[](0), address(0));
    }

    function unclaimed(uint256 id, bytes32 bucketRoot) internal view returns (uint256 left) {
        (, left) = c.bucket(id, bucketRoot);
    }

    function holdsUnclaimed(uint256 id, uint256 amount) internal view {
        equal(unclaimed(id, root), amount, "unclaimed");
    }

    function balance(address account) internal view returns (uint256) {
        return token.balanceOf(account);
    }

    /// @dev Claims as a wallet, and expects the given error.
    function claimFails(address wallet, uint256 id, uint256 amount, bytes32[] memory proof, bytes4 why) internal {
        vm.prank(wallet);
        vm.expectRevert(why);
        c.claim(id, amount, proof);
    }

    function payment(uint256 id, address account, bytes32[] memory proof)
        internal
        pure
        returns (IRewardCampaigns.Payment memory)
    {
        return IRewardCampaigns.Payment(account, id, SHARE, proof);
    }

    function isSkipped(uint256 id, address account, bytes4 reason) internal {
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Skipped(id, account, SHARE, reason);
    }
}
