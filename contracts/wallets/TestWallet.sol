// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A test wallet that is a contract, like a Safe: its owner acts and signs for it (ERC-1271).
contract TestWallet {
    error NotOwner();
    error Failed();

    address public immutable owner;
    /// The hashes that it signed on chain; for them an empty signature is valid.
    mapping(bytes32 hash => bool) public isSigned;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    constructor(address owner_) {
        owner = owner_;
    }

    receive() external payable {}

    function execute(address to, bytes calldata data) external onlyOwner {
        (bool isDone,) = to.call(data);
        if (!isDone) revert Failed();
    }

    function sign(bytes32 hash) external onlyOwner {
        isSigned[hash] = true;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        if (signature.length == 0) return isSigned[hash] ? this.isValidSignature.selector : bytes4(0);
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecover(hash, signature);
        bool isValid = problem == ECDSA.RecoverError.NoError && signer == owner;
        return isValid ? this.isValidSignature.selector : bytes4(0);
    }
}
