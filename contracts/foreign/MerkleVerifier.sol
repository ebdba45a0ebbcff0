// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";

/// @notice OpenZeppelin's verifier by itself, for comparison. It shares no code with the campaign contract.
contract MerkleVerifier {
    /// @return count the number of leaves whose proof holds
    function countValid(bytes32 root, bytes32[] calldata leaves, bytes32[][] calldata proofs)
        external
        pure
        returns (uint256 count)
    {
        for (uint256 i; i < leaves.length; ++i) {
            if (MerkleProof.verifyCalldata(proofs[i], root, leaves[i])) ++count;
        }
    }
}
