import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { type Abi, encodeDeployData, encodeFunctionData, type Hex, zeroHash } from "viem";
import { labelhash, namehash } from "viem/ens";
import { ETHEREUM_COIN_TYPE } from "../../../../app/chain/ens/protocol";
import type { Address } from "../../../../app/domain/address";
import { getTestAccount, startAnvil } from "../anvil";

/** An endpoint of a chain that has ENS on it, and functions that set its records. */
export type EnsChain = Awaited<ReturnType<typeof startEnsChain>>;

interface Contract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

const require = createRequire(import.meta.url);

/** The contracts as the ENS project built and published them. */
const PUBLISHED: Record<string, Contract> = {
  ENSRegistry: require("@ensdomains/ens/build/contracts/ENSRegistry.json"),
  ReverseRegistrar: require("@ensdomains/ens/build/contracts/ReverseRegistrar.json"),
  PublicResolver: require("@ensdomains/resolver/build/contracts/PublicResolver.json"),
};

const ROOT = zeroHash;
const WEALTH_WEI = 10n ** 20n;

/**
 * Starts a chain with ENS on it: registry, reverse registrar and public resolver are the ENS
 * project's own. The universal resolver, and resolvers with records off chain, are those of
 * ens.sol.
 */
export async function startEnsChain() {
  const contracts = { ...compile(), ...PUBLISHED };
  const anvil = await startAnvil({ chainId: 1 });
  /** Owns every name that no other account claims. */
  const owner = getTestAccount(9);

  const get = (name: string) => {
    const contract = contracts[name];
    if (!contract) throw new Error(`There is no contract ${name}`);
    return contract;
  };
  async function deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
    const data = encodeDeployData({ ...get(name), args });
    const { contractAddress } = await anvil.send(owner, { data });
    if (!contractAddress) throw new Error("Nothing was deployed");
    return contractAddress;
  }
  const encode = (name: string, functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: get(name).abi, functionName, args });
  const call = (to: Address, data: Hex) =>
    anvil.send(owner, { to: to.toLowerCase() as Address, data });

  const registry = await deploy("ENSRegistry");
  const resolver = await deploy("PublicResolver", [registry]);
  const reverseRegistrar = await deploy("ReverseRegistrar", [registry, resolver]);
  const universalResolver = await deploy("UniversalResolver", [registry]);

  /** Makes the owner own a name and the names above it. */
  async function own(name: string, by: Address = owner.address): Promise<void> {
    const [label = "", ...above] = name.split(".");
    if (above.length > 0) await own(above.join("."));
    const parent = above.length > 0 ? namehash(above.join(".")) : ROOT;
    await call(registry, encode("ENSRegistry", "setSubnodeOwner", [parent, labelhash(label), by]));
  }
  async function setResolver(name: string, to: Address): Promise<void> {
    await own(name);
    await call(registry, encode("ENSRegistry", "setResolver", [namehash(name), to]));
  }
  await own("addr.reverse", reverseRegistrar);

  return {
    rpcUrl: anvil.rpcUrl,
    universalResolver,
    deploy,
    setResolver,
    /**
     * Sets a name's address on chain.
     * @param coinType the chain of the address
     */
    async setAddress(name: string, address: Address, coinType = ETHEREUM_COIN_TYPE) {
      await setResolver(name, resolver);
      const data = encode("PublicResolver", "setAddr", [namehash(name), coinType, address]);
      await call(resolver, data);
    },
    /** Sets the name that an address chooses for itself, true or not, at the reverse registrar. */
    async setPrimaryName(address: Address, name: string) {
      await anvil.client.impersonateAccount({ address });
      await anvil.client.setBalance({ address, value: WEALTH_WEI });
      const hash = await anvil.client.sendTransaction({
        account: address,
        chain: anvil.chain,
        to: reverseRegistrar,
        data: encode("ReverseRegistrar", "setName", [name]),
      });
      const { status } = await anvil.client.waitForTransactionReceipt({
        hash,
        pollingInterval: 20,
      });
      if (status !== "success") throw new Error("The name was not set");
    },
    /** Sets the name that an address chose on another chain, as ENS stores it on Ethereum. */
    async setPrimaryNameOf(address: Address, name: string, coinType: bigint) {
      const reverse = `${address.slice(2).toLowerCase()}.${coinType.toString(16)}.reverse`;
      await setResolver(reverse, resolver);
      await call(resolver, encode("PublicResolver", "setName", [namehash(reverse), name]));
    },
    stop: anvil.stop,
  };
}

function compile(): Record<string, Contract> {
  const solc = require("solc") as { compile: (input: string) => string };
  const content = readFileSync(path.join(import.meta.dirname, "ens.sol"), "utf8");
  const input = {
    language: "Solidity",
    sources: { "ens.sol": { content } },
    settings: {
      optimizer: { enabled: true },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const problems = (output.errors ?? []).filter(
    ({ severity }: { severity: string }) => severity === "error",
  );
  if (problems.length > 0) throw new Error(JSON.stringify(problems, null, 2));
  return Object.fromEntries(
    Object.entries(output.contracts["ens.sol"]).map(([name, contract]) => {
      const { abi, evm } = contract as { abi: Abi; evm: { bytecode: { object: string } } };
      return [name, { abi, bytecode: `0x${evm.bytecode.object}` as Hex }];
    }),
  );
}
