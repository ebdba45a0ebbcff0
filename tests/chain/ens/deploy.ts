import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import {
  type Abi,
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  namehash,
  parseAbi,
} from "viem";
import { getTestAccount, startAnvil } from "../anvil";

/** An endpoint of a chain that has ENS on it, and ways to set its records. */
export type EnsChain = Awaited<ReturnType<typeof startEnsChain>>;

const REGISTRY_ABI = parseAbi(["function setResolver(bytes32 node, address to)"]);
const RESOLVER_ABI = parseAbi([
  "function setAddr(bytes32 node, address to)",
  "function setName(bytes32 node, string to)",
]);

/** Starts a chain with a registry, a resolver and the universal resolver of ens.sol. */
export async function startEnsChain() {
  const contracts = compile();
  const anvil = await startAnvil({ chainId: 1 });
  const account = getTestAccount(9);

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
    const contract = contracts[name];
    if (!contract) throw new Error(`ens.sol has no ${name}`);
    const data = encodeDeployData({ ...contract, args });
    const { contractAddress } = await anvil.send(account, { data });
    if (!contractAddress) throw new Error("Nothing was deployed");
    return contractAddress;
  }
  const call = (to: Address, data: Hex) =>
    anvil.send(account, { to: to.toLowerCase() as Address, data });

  const registry = await deploy("Registry");
  const resolver = await deploy("Resolver");
  const universalResolver = await deploy("UniversalResolver", [registry]);

  const setResolver = (name: string, to: Address) =>
    call(
      registry,
      encodeFunctionData({
        abi: REGISTRY_ABI,
        functionName: "setResolver",
        args: [namehash(name), to],
      }),
    );
  return {
    rpcUrl: anvil.rpcUrl,
    universalResolver,
    deploy,
    setResolver,
    /** A name's address, on chain. */
    async setAddress(name: string, address: Address) {
      await setResolver(name, resolver);
      await call(
        resolver,
        encodeFunctionData({
          abi: RESOLVER_ABI,
          functionName: "setAddr",
          args: [namehash(name), address],
        }),
      );
    },
    /** The name that an address chooses, true or not. */
    async setPrimaryName(address: Address, name: string) {
      const reverse = `${address.slice(2).toLowerCase()}.addr.reverse`;
      await setResolver(reverse, resolver);
      await call(
        resolver,
        encodeFunctionData({
          abi: RESOLVER_ABI,
          functionName: "setName",
          args: [namehash(reverse), name],
        }),
      );
    },
    stop: anvil.stop,
  };
}

function compile(): Record<string, { abi: Abi; bytecode: Hex }> {
  const solc = createRequire(import.meta.url)("solc") as { compile: (input: string) => string };
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
