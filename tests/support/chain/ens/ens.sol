// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// The parts of ENS that tests need and no package contains. Registry, reverse registrar and public resolver are
// the ENS project's (npm: @ensdomains/ens, @ensdomains/resolver; see deploy.ts). This file has small versions of
// the universal resolver as it is now on mainnet (its interface, ENSIP-10, EIP-3668, ENSIP-19) and of a resolver
// whose records are off chain.

interface Registry {
    function resolver(bytes32 node) external view returns (address);
}

interface Resolver {
    function name(bytes32 node) external view returns (string memory);
    function supportsInterface(bytes4 id) external view returns (bool);
}

error OffchainLookup(
    address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData
);

/// Takes its records from its gateways. It accepts answers that begin with its own address.
contract OffchainResolver {
    string[] public urls;

    constructor(string[] memory gateways) {
        urls = gateways;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x9061b923;
    }

    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
        revert OffchainLookup(address(this), urls, data, this.resolveCallback.selector, data);
    }

    function resolveCallback(bytes calldata response, bytes calldata) external view returns (bytes memory) {
        (address signer, bytes memory result) = abi.decode(response, (address, bytes));
        require(signer == address(this), "Not signed");
        return result;
    }
}

/// Requests another call to itself without end, and without a gateway.
contract EndlessResolver {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x9061b923;
    }

    function resolve(bytes calldata, bytes calldata) external view returns (bytes memory) {
        return this.resolveCallback("", "");
    }

    function resolveCallback(bytes calldata, bytes calldata) external view returns (bytes memory) {
        string[] memory urls = new string[](1);
        urls[0] = "x-batch-gateway:true";
        bytes memory nothing = abi.encodeWithSignature("query((address,string[],bytes)[])", new Query[](0));
        revert OffchainLookup(address(this), urls, nothing, this.resolveCallback.selector, "");
    }
}

struct Query {
    address sender;
    string[] urls;
    bytes data;
}

contract UniversalResolver {
    bytes16 constant DIGITS = "0123456789abcdef";
    uint256 constant ETHEREUM = 60;
    Registry immutable registry;

    error ResolverNotFound(bytes name);
    error ResolverError(bytes errorData);
    error ReverseAddressMismatch(string primary, bytes primaryAddress);

    constructor(Registry names) {
        registry = names;
    }

    function resolveWithGateways(bytes calldata name, bytes calldata data, string[] calldata gateways)
        external view returns (bytes memory result, address resolver)
    {
        bool isExtended;
        (resolver, isExtended) = findResolver(name);
        bool ok;
        (ok, result) = resolver.staticcall(
            isExtended ? abi.encodeWithSignature("resolve(bytes,bytes)", name, data) : data
        );
        if (!ok) forward(resolver, result, gateways);
        if (isExtended) result = abi.decode(result, (bytes));
    }

    function resolveCallback(bytes calldata response, bytes calldata extra)
        external view returns (bytes memory result, address resolver)
    {
        bytes4 callback;
        bytes memory inner;
        string[] memory gateways;
        (resolver, callback, inner, gateways) = abi.decode(extra, (address, bytes4, bytes, string[]));
        (bool[] memory failures, bytes[] memory responses) = abi.decode(response, (bool[], bytes[]));
        bytes memory given = responses.length > 0 ? responses[0] : bytes("");
        if (failures.length > 0 && failures[0]) raise(given);
        bool ok;
        (ok, result) = resolver.staticcall(abi.encodeWithSelector(callback, given, inner));
        if (!ok) forward(resolver, result, gateways);
        result = abi.decode(result, (bytes));
    }

    function reverseWithGateways(bytes calldata account, uint256 coinType, string[] calldata gateways)
        external view returns (string memory primary, address resolver, address reverseResolver)
    {
        bytes32 reverse = nodeOf(reverseNameOf(account, coinType), 0);
        reverseResolver = registry.resolver(reverse);
        if (reverseResolver == address(0)) revert ResolverNotFound(account);
        primary = Resolver(reverseResolver).name(reverse);
        if (bytes(primary).length == 0) return (primary, address(0), reverseResolver);
        bytes memory name = encode(bytes(primary));
        bytes memory data = coinType == ETHEREUM
            ? abi.encodeWithSignature("addr(bytes32)", nodeOf(name, 0))
            : abi.encodeWithSignature("addr(bytes32,uint256)", nodeOf(name, 0), coinType);
        // Checks whether the name resolves back, through this contract, as far as that is on chain.
        try this.resolveWithGateways(name, data, gateways) returns (bytes memory result, address found) {
            resolver = found;
            address owner = coinType == ETHEREUM
                ? abi.decode(result, (address))
                : address(bytes20(abi.decode(result, (bytes))));
            if (owner != address(bytes20(account))) {
                revert ReverseAddressMismatch(primary, abi.encodePacked(owner));
            }
        } catch (bytes memory reason) {
            if (bytes4(reason) != OffchainLookup.selector) raise(reason);
        }
    }

    /// ENSIP-19: `[address].addr.reverse` for Ethereum, `[address].[coin type].reverse` for another chain.
    function reverseNameOf(bytes calldata account, uint256 coinType) internal pure returns (bytes memory) {
        bytes memory chain = coinType == ETHEREUM
            ? bytes("addr")
            : hexOf(abi.encodePacked(uint32(coinType)));
        return encode(bytes.concat(hexOf(account), ".", chain, ".reverse"));
    }

    function findResolver(bytes calldata name) internal view returns (address resolver, bool isExtended) {
        for (uint256 at = 0; at < name.length && name[at] != 0; at += 1 + uint8(name[at])) {
            resolver = registry.resolver(nodeOf(name, at));
            if (resolver == address(0)) continue;
            isExtended = Resolver(resolver).supportsInterface(0x9061b923);
            if (at == 0 || isExtended) return (resolver, isExtended);
        }
        revert ResolverNotFound(name);
    }

    function forward(address resolver, bytes memory reason, string[] memory gateways) internal view {
        if (bytes4(reason) != OffchainLookup.selector) revert ResolverError(reason);
        bytes memory body = new bytes(reason.length - 4);
        for (uint256 i = 0; i < body.length; i += 1) body[i] = reason[i + 4];
        (, string[] memory urls, bytes memory data, bytes4 callback, bytes memory extra) =
            abi.decode(body, (address, string[], bytes, bytes4, bytes));
        Query[] memory queries = new Query[](1);
        queries[0] = Query(resolver, urls, data);
        revert OffchainLookup(
            address(this),
            gateways,
            abi.encodeWithSignature("query((address,string[],bytes)[])", queries),
            this.resolveCallback.selector,
            abi.encode(resolver, callback, extra, gateways)
        );
    }

    function raise(bytes memory reason) internal pure {
        assembly ("memory-safe") {
            revert(add(reason, 32), mload(reason))
        }
    }

    function nodeOf(bytes memory name, uint256 at) internal pure returns (bytes32) {
        uint256 length = uint8(name[at]);
        if (length == 0) return 0;
        bytes memory label = new bytes(length);
        for (uint256 i = 0; i < length; i += 1) label[i] = name[at + 1 + i];
        return keccak256(abi.encodePacked(nodeOf(name, at + 1 + length), keccak256(label)));
    }

    /// Reads a name in DNS form.
    function encode(bytes memory name) internal pure returns (bytes memory encoded) {
        encoded = new bytes(name.length + 2);
        uint256 start = 0;
        for (uint256 i = 0; i <= name.length; i += 1) {
            if (i == name.length || name[i] == ".") {
                encoded[start] = bytes1(uint8(i - start));
                start = i + 1;
            } else {
                encoded[i + 1] = name[i];
            }
        }
    }

    function hexOf(bytes memory value) internal pure returns (bytes memory text) {
        text = new bytes(2 * value.length);
        for (uint256 i = 0; i < value.length; i += 1) {
            text[2 * i] = DIGITS[uint8(value[i]) >> 4];
            text[2 * i + 1] = DIGITS[uint8(value[i]) & 15];
        }
    }
}
