// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {TestToken} from "../tokens/TestTokens.sol";

/// @notice Returns false instead of reverting, when told to.
contract FalseToken is TestToken("False", "FALSE", 18) {
    bool public refuses;

    function refuse(bool yes) external {
        refuses = yes;
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        return !refuses && super.transfer(to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        return !refuses && super.transferFrom(from, to, amount);
    }
}

/// @notice Returns true without a transfer, when told to.
contract LyingToken is TestToken("Lying", "LIE", 18) {
    function transferFrom(address, address, uint256) public pure override returns (bool) {
        return true;
    }
}

/// @notice Transfers more than requested.
contract GenerousToken is TestToken("Generous", "GEN", 18) {
    function transferFrom(address from, address to, uint256 amount) public override returns (bool) {
        _mint(to, 1);
        return super.transferFrom(from, to, amount);
    }
}

/// @notice Returns nothing from transfers, like Tether on Ethereum.
contract SilentToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

interface IHooked {
    function onTransfer() external;
}

/// @notice Calls the sender before a transfer, and the receiver after it; may take a fee as well.
contract HookToken is TestToken("Hook", "HOOK", 18) {
    address public hooked;
    uint256 public feeBps;

    function hook(address account, uint256 bps) external {
        (hooked, feeBps) = (account, bps);
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (from == hooked && from != address(0)) IHooked(from).onTransfer();
        super._update(from, to, amount);
        if (feeBps != 0 && from != address(0)) super._update(to, address(0), (amount * feeBps) / 10_000);
        if (to == hooked) IHooked(to).onTransfer();
    }
}
