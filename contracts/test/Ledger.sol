// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";
import {Vm} from "./Base.sol";

/// @notice The books of every airdrop as a reader of the contract's events has them. It reads nothing else.
contract Ledger {
    struct Terms {
        address token;
        uint256 deadline;
        address admin;
        address pending;
        address creator;
        bytes32 ref;
        bool isCancelled;
    }

    mapping(uint256 id => Terms) public terms;
    uint256 public count;
    mapping(uint256 id => mapping(bytes32 root => bool)) public exists;
    mapping(uint256 id => mapping(bytes32 root => uint256)) public balance;
    mapping(uint256 id => mapping(bytes32 root => uint256)) public added;
    mapping(address token => uint256) public funded;
    mapping(address token => uint256) public paid;
    mapping(address token => uint256) public refunded;
    mapping(address token => mapping(address receiver => uint256)) public received;
    /// How often a leaf was paid.
    mapping(bytes32 leaf => uint256) public claims;
    /// What was taken out of a bucket, by claims and refunds.
    mapping(uint256 id => mapping(bytes32 root => uint256)) public taken;

    /// The claim in the log just before, which a redirection concerns.
    bytes32 private lastClaim;
    uint256 private lastAmount;

    function leafOf(uint256 id, bytes32 root, address account, uint256 amount) public pure returns (bytes32) {
        return keccak256(abi.encode(id, root, account, amount));
    }

    /// @param emitter whose logs count
    function read(address emitter, Vm.Log[] calldata logs) external {
        for (uint256 i; i < logs.length; ++i) {
            if (logs[i].emitter == emitter) read(logs[i]);
        }
    }

    function read(Vm.Log calldata log) private {
        bytes32 what = log.topics[0];
        uint256 id = uint256(log.topics[1]);
        Terms storage t = terms[id];
        if (what == IRewardCampaigns.AirdropCreated.selector) {
            require(id == ++count, "ids count");
            (t.admin, t.ref) = (toAddress(log.topics[2]), log.topics[3]);
            (t.creator, t.token, t.deadline) = abi.decode(log.data, (address, address, uint256));
        } else if (what == IRewardCampaigns.BucketsAdded.selector) {
            readBuckets(id, t.token, abi.decode(log.data, (IRewardCampaigns.NewBucket[])));
        } else if (what == IRewardCampaigns.Claimed.selector) {
            readClaim(id, t.token, toAddress(log.topics[2]), log.data);
        } else if (what == IRewardCampaigns.Redirected.selector) {
            readRedirection(id, t.token, toAddress(log.topics[2]), log.data);
        } else if (what == IRewardCampaigns.Refunded.selector) {
            readRefund(id, t.token, log.data);
        } else if (what == IRewardCampaigns.DeadlineExtended.selector) {
            uint256 later = abi.decode(log.data, (uint256));
            require(t.deadline != 0 && later > t.deadline, "a deadline that did not grow");
            t.deadline = later;
        } else if (what == IRewardCampaigns.AirdropCancelled.selector) {
            t.isCancelled = true;
        } else if (what == IRewardCampaigns.AdminProposed.selector) {
            t.pending = abi.decode(log.data, (address));
        } else if (what == IRewardCampaigns.AdminChanged.selector) {
            (t.admin, t.pending) = (abi.decode(log.data, (address)), address(0));
        } else {
            require(what == IRewardCampaigns.Skipped.selector, "an event that is not read");
        }
    }

    function readBuckets(uint256 id, address token, IRewardCampaigns.NewBucket[] memory buckets) private {
        for (uint256 i; i < buckets.length; ++i) {
            (bytes32 root, uint256 total) = (buckets[i].root, buckets[i].total);
            exists[id][root] = true;
            balance[id][root] += total;
            added[id][root] += total;
            funded[token] += total;
        }
    }

    function readClaim(uint256 id, address token, address account, bytes calldata data) private {
        (uint256 amount, bytes32 root) = abi.decode(data, (uint256, bytes32));
        balance[id][root] -= amount;
        taken[id][root] += amount;
        paid[token] += amount;
        received[token][account] += amount;
        ++claims[leafOf(id, root, account, amount)];
        (lastClaim, lastAmount) = (keccak256(abi.encode(id, account, root)), amount);
    }

    function readRedirection(uint256 id, address token, address account, bytes calldata data) private {
        (bytes32 root, address to) = abi.decode(data, (bytes32, address));
        require(lastClaim == keccak256(abi.encode(id, account, root)), "the claim is not just before");
        received[token][account] -= lastAmount;
        received[token][to] += lastAmount;
        lastClaim = 0;
    }

    function readRefund(uint256 id, address token, bytes calldata data) private {
        (address to, uint256 amount, bytes32[] memory roots, uint256[] memory amounts) =
            abi.decode(data, (address, uint256, bytes32[], uint256[]));
        uint256 sum;
        for (uint256 i; i < roots.length; ++i) {
            balance[id][roots[i]] -= amounts[i];
            taken[id][roots[i]] += amounts[i];
            sum += amounts[i];
        }
        require(sum == amount, "a refund's sum");
        refunded[token] += amount;
        received[token][to] += amount;
    }

    function toAddress(bytes32 topic) private pure returns (address) {
        return address(uint160(uint256(topic)));
    }
}
