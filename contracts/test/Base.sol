// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IRewardCampaigns} from "../IRewardCampaigns.sol";

/// @dev The cheatcodes that the tests use, under forge's names.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address caller) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function assume(bool condition) external pure;
    function expectRevert(bytes4 selector) external;
    function expectRevert() external;
    function expectEmit(address emitter) external;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory logs);
    function envOr(string calldata name, bytes calldata otherwise) external view returns (bytes memory);
    function envOr(string calldata name, string calldata otherwise) external view returns (string memory);
    function getCode(string calldata artifact) external view returns (bytes memory);
}

/// @notice The base of every test: cheatcodes, comparisons, trees, and the contract.
abstract contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev Deploys the code from the environment: production's, or a mutant. Without it, forge's own build.
    function deployCampaigns() internal returns (IRewardCampaigns campaigns) {
        bytes memory code = vm.envOr("CAMPAIGN_INIT_CODE", bytes(""));
        if (code.length == 0) code = vm.getCode("RewardCampaigns.sol:RewardCampaigns");
        assembly ("memory-safe") {
            campaigns := create(0, add(code, 0x20), mload(code))
        }
        require(address(campaigns) != address(0), "the contract was not deployed");
    }

    function equal(uint256 a, uint256 b, string memory what) internal pure {
        require(a == b, what);
    }

    function between(uint256 x, uint256 least, uint256 most) internal pure returns (uint256) {
        return least + x % (most - least + 1);
    }

    // ---------------------------------------------------------------------------------------- trees

    function leaf(address account, uint256 amount) internal pure returns (bytes32) {
        return keccak256(bytes.concat(keccak256(abi.encode(account, amount))));
    }

    function pair(bytes32 a, bytes32 b) internal pure returns (bytes32) {
        return a < b ? keccak256(abi.encodePacked(a, b)) : keccak256(abi.encodePacked(b, a));
    }

    /// @dev Builds the service's tree: every leaf is paired with bytes32(its index). The number is a power of two.
    function indexedTree(bytes32[] memory leaves, uint256 firstIndex)
        internal
        pure
        returns (bytes32 root, bytes32[][] memory proofs)
    {
        bytes32[] memory nodes = new bytes32[](leaves.length);
        for (uint256 i; i < leaves.length; ++i) {
            nodes[i] = pair(leaves[i], bytes32(firstIndex + i));
        }
        bytes32[][] memory above;
        (root, above) = plainTree(nodes);
        proofs = new bytes32[][](leaves.length);
        for (uint256 i; i < leaves.length; ++i) {
            proofs[i] = new bytes32[](above[i].length + 1);
            proofs[i][0] = bytes32(firstIndex + i);
            for (uint256 k; k < above[i].length; ++k) {
                proofs[i][k + 1] = above[i][k];
            }
        }
    }

    /// @dev Builds a tree as OpenZeppelin does. The number of leaves is a power of two.
    function plainTree(bytes32[] memory leaves) internal pure returns (bytes32 root, bytes32[][] memory proofs) {
        uint256 depth;
        while (1 << depth < leaves.length) depth++;
        proofs = new bytes32[][](leaves.length);
        for (uint256 i; i < leaves.length; ++i) {
            proofs[i] = new bytes32[](depth);
        }
        bytes32[] memory layer = leaves;
        for (uint256 d; d < depth; ++d) {
            for (uint256 i; i < leaves.length; ++i) {
                proofs[i][d] = layer[(i >> d) ^ 1];
            }
            bytes32[] memory next = new bytes32[](layer.length / 2);
            for (uint256 i; i < next.length; ++i) {
                next[i] = pair(layer[2 * i], layer[2 * i + 1]);
            }
            layer = next;
        }
        root = layer[0];
    }

    // ---------------------------------------------------------------------------------------- lists

    function listOf(bytes32 root, uint256 total) internal pure returns (IRewardCampaigns.NewBucket[] memory list) {
        list = new IRewardCampaigns.NewBucket[](1);
        list[0] = IRewardCampaigns.NewBucket(root, total);
    }

    function listOf(bytes32 root, uint256 total, bytes32 root2, uint256 total2)
        internal
        pure
        returns (IRewardCampaigns.NewBucket[] memory list)
    {
        list = new IRewardCampaigns.NewBucket[](2);
        list[0] = IRewardCampaigns.NewBucket(root, total);
        list[1] = IRewardCampaigns.NewBucket(root2, total2);
    }

    function rootsOf(bytes32 a) internal pure returns (bytes32[] memory list) {
        list = new bytes32[](1);
        list[0] = a;
    }

    function rootsOf(bytes32 a, bytes32 b) internal pure returns (bytes32[] memory list) {
        list = new bytes32[](2);
        (list[0], list[1]) = (a, b);
    }

    function amountsOf(uint256 a) internal pure returns (uint256[] memory list) {
        list = new uint256[](1);
        list[0] = a;
    }

    function amountsOf(uint256 a, uint256 b) internal pure returns (uint256[] memory list) {
        list = new uint256[](2);
        (list[0], list[1]) = (a, b);
    }
}
