// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {HookToken} from "./HostileTokens.sol";
import {Mood, MoodyToken, Receiver} from "./Receivers.sol";
import {Reentrant} from "./Reentrant.sol";
import {Scene} from "./Scene.sol";

contract ClaimForTest is Scene {
    function test_anyonePaysForAWalletAndOnlyTheWalletIsPaid() public {
        uint256 id = open();
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Claimed(id, ALICE, SHARE, root);
        vm.prank(STRANGER);
        c.claimFor(ALICE, id, SHARE, aliceProof);
        equal(balance(ALICE), SHARE, "paid");
        equal(balance(STRANGER), 0, "not to the caller");
        holdsUnclaimed(id, SHARE);
        require(c.isClaimed(id, root, 0) && !c.isClaimed(id, root, 1), "marks");
    }

    function test_coinIsPaidToTheWalletToo() public {
        uint256 id = openCoin();
        vm.prank(STRANGER);
        c.claimFor(ALICE, id, SHARE, aliceProof);
        equal(ALICE.balance, SHARE, "paid");
        equal(STRANGER.balance, 0, "not to the caller");
    }

    /// Each way pays a leaf that no other way has paid, and none of them after another.
    function test_aLeafIsPaidOnceByWhicheverWay() public {
        for (uint256 first; first < 5; ++first) {
            uint256 id = open();
            uint256 before = balance(ALICE);
            require(tryWay(first, id), "the first is paid");
            for (uint256 second; second < 5; ++second) {
                require(!tryWay(second, id), "a second is not");
            }
            equal(balance(ALICE) - before, SHARE, "once");
            holdsUnclaimed(id, SHARE);
        }
    }

    /// @return isPaid whether the leaf's amount left its bucket
    function tryWay(uint256 way, uint256 id) private returns (bool isPaid) {
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](1);
        list[0] = payment(id, ALICE, aliceProof);
        IRewardCampaigns.ClaimCall[] memory own = new IRewardCampaigns.ClaimCall[](1);
        own[0] = IRewardCampaigns.ClaimCall(id, SHARE, aliceProof);
        bytes[5] memory calls = [
            abi.encodeCall(c.claim, (id, SHARE, aliceProof)),
            abi.encodeCall(c.claimTo, (id, ALICE, SHARE, aliceProof)),
            abi.encodeCall(c.claimMany, (own)),
            abi.encodeCall(c.claimFor, (ALICE, id, SHARE, aliceProof)),
            abi.encodeCall(c.distribute, (list, 1e6))
        ];
        uint256 held = unclaimed(id, root);
        vm.prank(ALICE);
        (bool ok,) = address(c).call(calls[way]);
        isPaid = unclaimed(id, root) == held - SHARE;
        require(ok == (isPaid || way == 4), "only a payout goes on without paying");
    }

    function refuses(address account, uint256 id, uint256 amount, bytes32[] memory proof, bytes4 why) private {
        vm.prank(STRANGER);
        vm.expectRevert(why);
        c.claimFor(account, id, amount, proof);
    }

    function test_aProofHoldsForItsAccountOnly() public {
        uint256 id = open();
        bytes4 why = IRewardCampaigns.InvalidProof.selector;
        refuses(STRANGER, id, SHARE, aliceProof, why);
        refuses(BOB, id, SHARE, aliceProof, why);
        refuses(ALICE, id, SHARE + 1, aliceProof, why);
        refuses(ALICE, id + 1, SHARE, aliceProof, why);
        refuses(ALICE, id, SHARE, new bytes32[](0), why);
        refuses(address(0), id, SHARE, aliceProof, why);
    }

    function test_theSameTermsHoldAsForAClaim() public {
        uint256 id = open(150, uint40(START + 10));
        vm.prank(STRANGER);
        c.claimFor(ALICE, id, SHARE, aliceProof);
        refuses(ALICE, id, SHARE, aliceProof, IRewardCampaigns.AlreadyClaimed.selector);
        refuses(BOB, id, SHARE, bobProof, IRewardCampaigns.InsufficientFunds.selector);
        vm.warp(START + 11);
        refuses(BOB, id, SHARE, bobProof, IRewardCampaigns.Expired.selector);
        refuses(ALICE, cancelled(), SHARE, aliceProof, IRewardCampaigns.NotActive.selector);
    }
}

contract DistributeTest is Scene {
    uint256 private constant GAS_EACH = 200_000;
    MoodyToken private moody;
    Receiver private receiver;

    function setUp() public override {
        super.setUp();
        moody = new MoodyToken();
        moody.mint(ADMIN, 1e30);
        vm.prank(ADMIN);
        moody.approve(address(c), type(uint256).max);
        receiver = new Receiver();
    }

    function both(uint256 id) private view returns (IRewardCampaigns.Payment[] memory list) {
        list = new IRewardCampaigns.Payment[](2);
        (list[0], list[1]) = (payment(id, ALICE, aliceProof), payment(id, BOB, bobProof));
    }

    function distribute(IRewardCampaigns.Payment[] memory list, uint256 paid) private {
        vm.prank(STRANGER);
        equal(c.distribute(list, GAS_EACH), paid, "number paid");
    }

    function test_manyAreEachPaidTheirOwn() public {
        uint256 id = open();
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Claimed(id, ALICE, SHARE, root);
        vm.expectEmit(address(c));
        emit IRewardCampaigns.Claimed(id, BOB, SHARE, root);
        distribute(both(id), 2);
        equal(balance(ALICE), SHARE, "Alice");
        equal(balance(BOB), SHARE, "Bob");
        equal(balance(STRANGER), 0, "not to the caller");
        holdsUnclaimed(id, 0);
        distribute(new IRewardCampaigns.Payment[](0), 0);
    }

    function test_severalAirdropsFitOneCall() public {
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](2);
        (list[0], list[1]) = (payment(open(), ALICE, aliceProof), payment(openCoin(), BOB, bobProof));
        distribute(list, 2);
        equal(balance(ALICE), SHARE, "token");
        equal(BOB.balance, SHARE, "coin");
    }

    /// A claim that comes in between takes its own leaf out of the batch, and no other.
    function test_aClaimThatOvertakesIsSkipped() public {
        uint256 id = open();
        vm.prank(ALICE);
        c.claimTo(id, STRANGER, SHARE, aliceProof);
        isSkipped(id, ALICE, IRewardCampaigns.AlreadyClaimed.selector);
        distribute(both(id), 1);
        equal(balance(ALICE), 0, "redirected before");
        equal(balance(BOB), SHARE, "paid");
        isSkipped(id, ALICE, IRewardCampaigns.AlreadyClaimed.selector);
        isSkipped(id, BOB, IRewardCampaigns.AlreadyClaimed.selector);
        distribute(both(id), 0);
        holdsUnclaimed(id, 0);
    }

    function test_aLeafThatIsNamedTwiceIsPaidOnce() public {
        uint256 id = open();
        IRewardCampaigns.Payment[] memory list = both(id);
        list[1] = list[0];
        isSkipped(id, ALICE, IRewardCampaigns.AlreadyClaimed.selector);
        distribute(list, 1);
        equal(balance(ALICE), SHARE, "once");
    }

    function test_whatIsNotDueIsSkippedWithItsReason() public {
        uint256 id = open(150, uint40(START + 10));
        uint256 ended = cancelled();
        isSkipped(ended, ALICE, IRewardCampaigns.NotActive.selector);
        isSkipped(ended, BOB, IRewardCampaigns.NotActive.selector);
        distribute(both(ended), 0);
        IRewardCampaigns.Payment[] memory list = both(id);
        list[1].account = STRANGER;
        isSkipped(id, STRANGER, IRewardCampaigns.InvalidProof.selector);
        distribute(list, 1);
        isSkipped(id, BOB, IRewardCampaigns.InsufficientFunds.selector);
        distribute(both(id), 0);
        vm.warp(START + 11);
        isSkipped(id, ALICE, IRewardCampaigns.Expired.selector);
        distribute(both(id), 0);
        holdsUnclaimed(id, 50);
    }

    // ------------------------------------------------------------------------- receivers and tokens

    /// Whatever a token does for one receiver, the leaf stays open and the next receiver is paid.
    function test_aTokenThatFailsForOneIsPaidToTheNext() public {
        for (uint256 i = 1; i <= uint256(type(Mood).max); ++i) {
            Mood mood = Mood(i);
            vm.prank(ADMIN);
            uint256 id = c.create(address(moody), 0, ADMIN, newRef(), listOf(root, 200));
            moody.be(ALICE, mood);
            uint256 before = moody.balanceOf(BOB);
            uint256 held = moody.balanceOf(address(c));
            isSkipped(id, ALICE, IRewardCampaigns.TransferFailed.selector);
            uint256 spent = gasleft();
            distribute(both(id), 1);
            spent -= gasleft();
            require(spent < 2 * GAS_EACH, "one payment took more than its gas, or a long answer was copied");
            equal(moody.balanceOf(BOB) - before, SHARE, "Bob");
            equal(held - moody.balanceOf(address(c)), SHARE, "escrow");
            require(!c.isClaimed(id, root, 0) && c.isClaimed(id, root, 1), "marks");
            holdsUnclaimed(id, SHARE);
            moody.be(ALICE, Mood.Kind);
            vm.prank(ALICE);
            c.claim(id, SHARE, aliceProof);
        }
    }

    /// Whatever a receiver of coin does, its leaf stays open and the next one is paid.
    function test_aReceiverThatFailsIsSkipped() public {
        bytes32 index = bytes32(uint256(1));
        bytes32 top = pair(pair(leaf(address(receiver), SHARE), 0), pair(leaf(BOB, SHARE), index));
        for (uint256 i = 1; i <= uint256(Mood.AnswersLongFailure); ++i) {
            vm.prank(ADMIN);
            uint256 id = c.create{value: 200}(COIN, 0, ADMIN, newRef(), listOf(top, 200));
            IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](2);
            list[0] = payment(id, address(receiver), rootsOf(0, pair(leaf(BOB, SHARE), index)));
            list[1] = payment(id, BOB, rootsOf(index, pair(leaf(address(receiver), SHARE), 0)));
            receiver.be(Mood(i));
            uint256 before = BOB.balance;
            isSkipped(id, address(receiver), IRewardCampaigns.ETHTransferFailed.selector);
            uint256 spent = gasleft();
            distribute(list, 1);
            spent -= gasleft();
            require(spent < 2 * GAS_EACH, "one payment took more than its gas, or a long answer was copied");
            equal(BOB.balance - before, SHARE, "Bob");
            equal(unclaimed(id, top), SHARE, "still there");
            require(!c.isClaimed(id, top, 0), "not marked");
            receiver.be(Mood.Kind);
            distribute(list, 1);
            equal(address(receiver).balance, i * SHARE, "paid later");
        }
    }

    /// Every receiver may spend the gas of one payment, and all are tried.
    function test_receiversThatEatGasCostNoMoreThanTheirShareEach() public {
        bytes32[] memory leaves = new bytes32[](8);
        for (uint256 i; i < 8; ++i) {
            leaves[i] = leaf(address(uint160(0x1000 + i)), SHARE);
            if (i < 7) moody.be(address(uint160(0x1000 + i)), Mood.EatsGas);
        }
        (bytes32 top, bytes32[][] memory proofs) = indexedTree(leaves, 0);
        vm.prank(ADMIN);
        uint256 id = c.create(address(moody), 0, ADMIN, newRef(), listOf(top, 800));
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](8);
        for (uint256 i; i < 8; ++i) {
            list[i] = payment(id, address(uint160(0x1000 + i)), proofs[i]);
        }
        uint256 spent = gasleft();
        distribute(list, 1);
        spent -= gasleft();
        require(spent > 7 * (GAS_EACH - 5_000) && spent < 8 * (GAS_EACH + 5_000), "a share each");
        equal(moody.balanceOf(address(0x1007)), SHARE, "the last is paid");
    }

    // ------------------------------------------------------------------------------------------ gas

    /// With any gas, a payout pays everybody or reverts: an estimate never finds an amount that skips.
    function test_tooLittleGasNeverSkipsAPayment() public {
        uint256 id = open();
        IRewardCampaigns.Payment[] memory list = both(id);
        uint256 need = gasOfOne(id);
        bytes memory data = abi.encodeCall(c.distribute, (list, need));
        uint256 refused;
        for (uint256 gas_ = need; ; gas_ += 41) {
            (bool ok, bytes memory answer) = tryWith(gas_, data);
            if (ok) {
                equal(abi.decode(answer, (uint256)), 2, "both, or none");
                break;
            }
            if (bytes4(answer) == IRewardCampaigns.NotEnoughGas.selector) ++refused;
        }
        require(refused > 0, "the contract says why");
        equal(balance(ALICE) + balance(BOB), 2 * SHARE, "paid");
    }

    function test_aPaymentGetsWhatTheCallerNamesAndNoMore() public {
        uint256 id = open();
        uint256 need = gasOfOne(id);
        IRewardCampaigns.Payment[] memory list = both(id);
        vm.prank(STRANGER);
        equal(c.distribute(list, need / 2), 0, "too little for either");
        holdsUnclaimed(id, 2 * SHARE);
        vm.expectRevert(IRewardCampaigns.NotEnoughGas.selector);
        c.distribute{gas: 400_000}(list, 400_000);
        vm.expectRevert();
        c.distribute(list, type(uint256).max);
    }

    /// The bound of each payment is the gas that it needs and the 63rd part that a call keeps back, to the unit.
    function test_theGasThatIsAskedForIsThatOfOnePayment() public {
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](1);
        list[0] = payment(open(), ALICE, aliceProof);
        (uint256 small, uint256 large) = (leastGas(list, 1e6), leastGas(list, 64e6));
        uint256 more = 63e6 + uint256(63e6) / 63;
        require(large - small >= more - 1 && large - small <= more + 1, "the 63rd part");
        uint256 overhead = small - 1e6 - uint256(1e6) / 63;
        require(overhead >= 5_000 && overhead <= 9_000, "what is kept for the call");
    }

    /// @dev Finds the least gas with which a payout is not refused, in a state that is undone.
    function leastGas(IRewardCampaigns.Payment[] memory list, uint256 gasEach) private returns (uint256) {
        bytes memory data = abi.encodeCall(c.distribute, (list, gasEach));
        (uint256 low, uint256 high) = (gasEach, 2 * gasEach);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            try this.isPaidWithin(middle, data) {
                revert("not undone");
            } catch (bytes memory answer) {
                if (bytes32(answer) == bytes32(uint256(1))) high = middle;
                else low = middle;
            }
        }
        return high;
    }

    /// @dev Reverts with whether a call with so much gas succeeds.
    function isPaidWithin(uint256 gas_, bytes calldata data) external {
        (bool ok,) = address(c).call{gas: gas_}(data);
        assembly {
            mstore(0, ok)
            revert(0, 0x20)
        }
    }

    /// @dev Finds the least gas with which a payout of one pays, in a state that is undone.
    function gasOfOne(uint256 id) private returns (uint256 need) {
        IRewardCampaigns.Payment[] memory list = new IRewardCampaigns.Payment[](1);
        list[0] = payment(id, ALICE, aliceProof);
        (uint256 low, uint256 high) = (0, GAS_EACH);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            try this.paysWith(list, middle) {
                revert("not undone");
            } catch (bytes memory answer) {
                if (bytes32(answer) == bytes32(uint256(1))) high = middle;
                else low = middle;
            }
        }
        return high;
    }

    /// @dev Reverts with the number that a payout paid.
    function paysWith(IRewardCampaigns.Payment[] calldata list, uint256 gasEach) external {
        uint256 paid = c.distribute(list, gasEach);
        assembly {
            mstore(0, paid)
            revert(0, 0x20)
        }
    }

    function tryWith(uint256 gas_, bytes memory data) private returns (bool ok, bytes memory answer) {
        return address(c).call{gas: gas_}(data);
    }
}

contract ReentrantPayoutTest is Scene {
    HookToken private hook;
    Reentrant private attacker;
    uint256 private id;
    bytes32 private top;
    bytes32[][] private proofs;

    function setUp() public override {
        super.setUp();
        hook = new HookToken();
        attacker = new Reentrant(c);
        hook.mint(ADMIN, 1e24);
        bytes32[] memory leaves = new bytes32[](2);
        (leaves[0], leaves[1]) = (leaf(address(attacker), SHARE), leaf(BOB, SHARE));
        (top, proofs) = indexedTree(leaves, 0);
        vm.startPrank(ADMIN);
        hook.approve(address(c), 1e24);
        id = c.create(address(hook), 0, ADMIN, newRef(), listOf(top, 200));
        c.create(address(hook), 0, ADMIN, newRef(), listOf(OTHER_ROOT, 5000));
        vm.stopPrank();
        hook.hook(address(attacker), 0);
    }

    function list() private view returns (IRewardCampaigns.Payment[] memory both) {
        both = new IRewardCampaigns.Payment[](2);
        both[0] = payment(id, address(attacker), proofs[0]);
        both[1] = payment(id, BOB, proofs[1]);
    }

    function isPaidOnce() private view {
        equal(hook.balanceOf(address(attacker)), SHARE, "the attacker, once");
        equal(hook.balanceOf(BOB), SHARE, "Bob, once");
        equal(hook.balanceOf(address(c)), 5000, "others'");
        equal(unclaimed(id, top), 0, "book");
    }

    function test_aReceiverThatClaimsFromWithinIsPaidOnce() public {
        attacker.arm(abi.encodeCall(c.claim, (id, SHARE, proofs[0])));
        equal(c.distribute(list(), 1e6), 2, "both");
        require(attacker.innerError() == IRewardCampaigns.AlreadyClaimed.selector, "inner");
        isPaidOnce();
    }

    /// The inner payout pays Bob and skips the attacker; the outer one then skips Bob.
    function test_aPayoutWithinAPayoutPaysEachOnce() public {
        attacker.arm(abi.encodeCall(c.distribute, (list(), 3e5)));
        isSkipped(id, address(attacker), IRewardCampaigns.AlreadyClaimed.selector);
        isSkipped(id, BOB, IRewardCampaigns.AlreadyClaimed.selector);
        equal(c.distribute(list(), 1e6), 1, "the attacker; Bob was paid within");
        require(attacker.innerError() == attacker.NONE(), "inner");
        isPaidOnce();
    }

    /// A token that lets a payment fail after the receiver was paid within takes all of it back.
    function test_aReceiverThatIsPaidWithinAFailedPaymentIsNotPaid() public {
        attacker.arm(abi.encodeCall(c.claimFor, (BOB, id, SHARE, proofs[1])));
        attacker.failAfterwards(true);
        IRewardCampaigns.Payment[] memory both = list();
        isSkipped(id, address(attacker), IRewardCampaigns.TransferFailed.selector);
        equal(c.distribute(both, 1e6), 1, "Bob");
        equal(hook.balanceOf(address(attacker)), 0, "the attacker is not");
        equal(hook.balanceOf(BOB), SHARE, "once");
        equal(unclaimed(id, top), SHARE, "book");
        require(!c.isClaimed(id, top, 0) && c.isClaimed(id, top, 1), "marks");
    }

    /// What is paid out while tokens are pulled would be missing from the sum that must arrive.
    function test_nothingIsPaidOutWhileFunding() public {
        hook.mint(address(attacker), 1000);
        attacker.approve(hook);
        attacker.arm(abi.encodeCall(c.distribute, (list(), 3e5)));
        vm.expectRevert(IRewardCampaigns.WrongAmountReceived.selector);
        attacker.run(
            abi.encodeCall(c.create, (address(hook), 0, address(attacker), "mine", listOf("a", 1000)))
        );
        equal(unclaimed(id, top), 200, "book");
        equal(hook.balanceOf(address(c)), 5200, "escrow");
    }
}
