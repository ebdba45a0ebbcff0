// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {FeeToken, TestToken} from "../tokens/TestTokens.sol";
import {FalseToken, GenerousToken, HookToken, LyingToken, SilentToken} from "./HostileTokens.sol";
import {Reentrant} from "./Reentrant.sol";
import {Scene} from "./Scene.sol";

interface IMintable {
    function mint(address to, uint256 amount) external;
    function approve(address spender, uint256 amount) external;
}

contract HostileTokenTest is Scene {
    function fund(address hostile) private {
        IMintable(hostile).mint(ADMIN, 1e30);
        vm.startPrank(ADMIN);
        IMintable(hostile).approve(address(c), type(uint256).max);
    }

    function test_aTokenThatTakesAFeeIsRefused() public {
        FeeToken fee = new FeeToken();
        fund(address(fee));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create(address(fee), 0, ADMIN, newRef(), listOf(root, 200));
        // A fee that rounds to zero is no fee.
        c.create(address(fee), 0, ADMIN, newRef(), listOf(root, 99));
    }

    function test_aTokenThatMovesNothingIsRefused() public {
        LyingToken lying = new LyingToken();
        fund(address(lying));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create(address(lying), 0, ADMIN, newRef(), listOf(root, 200));
    }

    function test_aTokenThatPaysTooMuchIsRefused() public {
        GenerousToken generous = new GenerousToken();
        fund(address(generous));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        c.create(address(generous), 0, ADMIN, newRef(), listOf(root, 200));
    }

    function test_falseIsNoPayment() public {
        FalseToken no = new FalseToken();
        fund(address(no));
        uint256 id = c.create(address(no), 0, ADMIN, newRef(), listOf(root, 200));
        no.refuse(true);
        vm.expectRevert(IRewardCampaigns.TransferFromFailed.selector);
        c.create(address(no), 0, ADMIN, newRef(), listOf(root, 200));
        vm.stopPrank();

        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.TransferFailed.selector);
        holdsUnclaimed(id, 200);
        require(!c.isClaimed(id, root, 0), "not marked");
        vm.prank(ADMIN);
        vm.expectRevert(IRewardCampaigns.TransferFailed.selector);
        c.cancel(id, rootsOf(root), ADMIN);

        no.refuse(false);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        equal(no.balanceOf(ALICE), SHARE, "paid later");
    }

    function test_aTokenThatAnswersNothingWorks() public {
        SilentToken silent = new SilentToken();
        fund(address(silent));
        uint256 id = c.create(address(silent), 0, ADMIN, newRef(), listOf(root, 200));
        vm.stopPrank();
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        equal(silent.balanceOf(ALICE), SHARE, "paid");
        vm.prank(ADMIN);
        c.cancel(id, rootsOf(root), BOB);
        equal(silent.balanceOf(BOB), SHARE, "refund");
    }

    function test_aTokenThatIsGonePaysNobodyAndMarksNobody() public {
        uint256 id = open();
        vm.etch(address(token), "");
        claimFails(ALICE, id, SHARE, aliceProof, IRewardCampaigns.TransferFailed.selector);
        require(!c.isClaimed(id, root, 0), "not marked");
    }

    function test_decimalsDoNotMatter() public {
        TestToken huge = new TestToken("Huge", "HUGE", 255);
        uint256 most = (1 << 127) - 1;
        huge.mint(ADMIN, 2 * most);
        vm.startPrank(ADMIN);
        huge.approve(address(c), 2 * most);
        uint256 id = c.create(address(huge), 0, ADMIN, newRef(), listOf(root, most, OTHER_ROOT, most));
        equal(huge.balanceOf(address(c)), 2 * most, "escrow");
        vm.stopPrank();
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        vm.prank(ADMIN);
        c.cancel(id, rootsOf(root, OTHER_ROOT), BOB);
        equal(huge.balanceOf(BOB), 2 * most - SHARE, "all of it");
    }

    /// Funds sent to the contract by mistake belong to no airdrop and change no payment.
    function test_aGiftChangesNothing() public {
        uint256 id = open(150, 0);
        token.mint(address(c), 1e6);
        vm.prank(ALICE);
        c.claim(id, SHARE, aliceProof);
        claimFails(BOB, id, SHARE, bobProof, IRewardCampaigns.InsufficientFunds.selector);
        open();
    }
}

contract ReentrancyTest is Scene {
    HookToken private hook;
    Reentrant private attacker;
    uint256 private id;
    bytes32[] private proof;
    bytes32 private attackersRoot;

    /// The attacker is a wallet in, and the admin of, an airdrop of 200 that another account paid.
    function setUp() public override {
        super.setUp();
        hook = new HookToken();
        attacker = new Reentrant(c);
        hook.mint(ADMIN, 1e24);
        hook.mint(address(attacker), 1e24);
        attacker.approve(hook);
        bytes32[] memory leaves = new bytes32[](2);
        (leaves[0], leaves[1]) = (leaf(address(attacker), SHARE), leaf(BOB, SHARE));
        bytes32[][] memory proofs;
        (attackersRoot, proofs) = indexedTree(leaves, 0);
        proof = proofs[0];
        vm.startPrank(ADMIN);
        hook.approve(address(c), 1e24);
        id = c.create(address(hook), 0, address(attacker), newRef(), listOf(attackersRoot, 200));
        // Another airdrop's funds of the same token.
        c.create(address(hook), 0, ADMIN, newRef(), listOf(OTHER_ROOT, 5000));
        vm.stopPrank();
        hook.hook(address(attacker), 0);
    }

    function create(bytes32 bucketRoot, uint256 total) private view returns (bytes memory) {
        return abi.encodeCall(c.create, (address(hook), 0, address(attacker), bucketRoot, listOf(bucketRoot, total)));
    }

    /// @dev The inner call is refused, and the outer one has its usual effect.
    function innerFails(bytes memory call, bytes memory inner, bytes4 why) private {
        attacker.arm(inner);
        attacker.run(call);
        require(attacker.innerError() == why, "inner");
    }

    /// @dev The inner call makes the outer one fail: neither has an effect.
    function outerFails(bytes memory call, bytes memory inner, bytes4 why) private {
        attacker.arm(inner);
        vm.expectRevert(why);
        attacker.run(call);
        equal(hook.balanceOf(address(c)), 5200, "escrow");
        equal(unclaimed(id, attackersRoot), 200, "book");
    }

    function test_fundingCannotBeNested() public {
        bytes4 why = IRewardCampaigns.Reentered.selector;
        innerFails(create("a", 1000), create("x", 10), why);
        innerFails(create("b", 1000), abi.encodeCall(c.addBuckets, (id, listOf("x", 10))), why);
        innerFails(abi.encodeCall(c.addBuckets, (id, listOf("c", 1000))), create("x", 10), why);
        bytes memory add = abi.encodeCall(c.addBuckets, (id, listOf("x", 10)));
        innerFails(abi.encodeCall(c.addBuckets, (id, listOf("d", 1000))), add, why);
        equal(hook.balanceOf(address(c)), 9200, "escrow");
        // Without an inner call, each of them succeeds.
        attacker.arm("");
        attacker.run(add);
        attacker.run(create("x", 10));
        equal(hook.balanceOf(address(c)), 9220, "escrow");
    }

    function test_anInnerDepositCannotPayTheFeeOfTheOuter() public {
        hook.hook(address(attacker), 100);
        bytes4 why = IRewardCampaigns.WrongAmountReceived.selector;
        outerFails(create("a", 1000), create("b", 10), why);
    }

    function test_nothingIsPaidOutWhileFunding() public {
        bytes4 why = IRewardCampaigns.WrongAmountReceived.selector;
        bytes memory claim = abi.encodeCall(c.claim, (id, SHARE, proof));
        outerFails(create("a", 1000), claim, why);
        outerFails(create("a", 50), claim, why);
        outerFails(create("a", 1000), abi.encodeCall(c.cancel, (id, rootsOf(attackersRoot), BOB)), why);
        // Claims from the bucket that is being funded.
        bytes memory add = abi.encodeCall(c.addBuckets, (id, listOf(pair(leaf(address(attacker), 7), 0), 7)));
        outerFails(add, abi.encodeCall(c.claim, (id, 7, rootsOf(0))), why);
    }

    function test_aReceiverOfTokensCannotClaimTwice() public {
        bytes memory claim = abi.encodeCall(c.claim, (id, SHARE, proof));
        innerFails(claim, claim, IRewardCampaigns.AlreadyClaimed.selector);
        equal(hook.balanceOf(address(attacker)), 1e24 + SHARE, "once");
        equal(hook.balanceOf(address(c)), 5200 - SHARE, "others'");
    }

    function test_aReceiverOfARefundGetsItOnce() public {
        bytes memory cancel = abi.encodeCall(c.cancel, (id, rootsOf(attackersRoot), address(attacker)));
        innerFails(cancel, abi.encodeCall(c.claim, (id, SHARE, proof)), IRewardCampaigns.NotActive.selector);
        equal(hook.balanceOf(address(attacker)), 1e24 + 200, "once");
        bytes memory refund = abi.encodeCall(c.refund, (id, rootsOf(attackersRoot), address(attacker)));
        attacker.run(refund);
        equal(hook.balanceOf(address(attacker)), 1e24 + 200, "still once");
        equal(hook.balanceOf(address(c)), 5000, "others'");
    }

    function test_aRefundWithinARefundFindsNothing() public {
        bytes memory refund = abi.encodeCall(c.refund, (id, rootsOf(attackersRoot), address(attacker)));
        bytes memory cancel = abi.encodeCall(c.cancel, (id, rootsOf(attackersRoot), address(attacker)));
        innerFails(cancel, refund, attacker.NONE());
        equal(hook.balanceOf(address(attacker)), 1e24 + 200, "once");
        equal(hook.balanceOf(address(c)), 5000, "others'");
    }

    function test_aReceiverOfCoinCannotClaimTwice() public {
        vm.prank(ADMIN);
        uint256 coin = c.create{value: 5000}(COIN, 0, ADMIN, newRef(), listOf(attackersRoot, 5000));
        bytes memory claim = abi.encodeCall(c.claim, (coin, SHARE, proof));
        innerFails(claim, claim, IRewardCampaigns.AlreadyClaimed.selector);
        equal(address(attacker).balance, SHARE, "once");
        equal(address(c).balance, 5000 - SHARE, "escrow");
    }

    function test_whoRefusesCoinNamesAnother() public {
        bytes32 top = pair(leaf(address(token), SHARE), 0);
        vm.prank(ADMIN);
        uint256 coin = c.create{value: 100}(COIN, 0, ADMIN, newRef(), listOf(top, SHARE));
        claimFails(address(token), coin, SHARE, rootsOf(0), IRewardCampaigns.ETHTransferFailed.selector);
        require(!c.isClaimed(coin, top, 0), "not marked");
        vm.prank(address(token));
        c.claimTo(coin, BOB, SHARE, rootsOf(0));
        equal(BOB.balance, SHARE, "paid");
    }
}
