import { readFileSync } from "node:fs";
import path from "node:path";
import solc from "solc";
import type { Abi, Hex } from "viem";

// The compiler of production: npm's, so that a clone needs no download. Its version is in
// package-lock.json.

const ROOT = path.join(import.meta.dirname, "../..");

/** Shanghai is supported by every chain that has rewards. */
const SETTINGS = {
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  evmVersion: "shanghai",
  metadata: { appendCBOR: false, bytecodeHash: "none" },
  outputSelection: {
    "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] },
  },
};

export type CompilerSettings = Partial<typeof SETTINGS>;

/** The compiler's input, in the form that explorers also take for verification. */
export interface CompilerInput {
  readonly language: "Solidity";
  readonly sources: Readonly<Record<string, { readonly content: string }>>;
  readonly settings: typeof SETTINGS;
}

export interface CompiledContract {
  readonly abi: Abi;
  readonly initCode: Hex;
  readonly runtimeCode: Hex;
}

interface CompilerOutput {
  readonly errors?: readonly {
    readonly severity: string;
    readonly formattedMessage: string;
    readonly sourceLocation?: { readonly file: string };
  }[];
  readonly contracts: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly abi: Abi;
            readonly evm: {
              readonly bytecode: { readonly object: string };
              readonly deployedBytecode: { readonly object: string };
            };
          }
        >
      >
    >
  >;
}

/** Returns the compiler's name as explorers list it: `v0.8.37+commit.…`. */
export function getCompilerVersion(): string {
  return `v${solc.version().replace(".Emscripten.clang", "")}`;
}

/**
 * Gathers a source and all its imports.
 * @param file relative to the repository, such as `contracts/RewardCampaigns.sol`
 * @param replaced other texts for some files, by the same names
 */
export function readCompilerInput(
  file: string,
  { settings = {} as CompilerSettings, replaced = {} as Readonly<Record<string, string>> } = {},
): CompilerInput {
  const sources: Record<string, { content: string }> = {};
  const add = (unit: string) => {
    if (unit in sources) return;
    const content = replaced[unit] ?? readFileSync(path.join(ROOT, locate(unit)), "utf8");
    sources[unit] = { content };
    for (const [, imported = ""] of content.matchAll(/^\s*import[^;]*?"([^"]+)";/gm)) {
      add(
        imported.startsWith(".") ? path.posix.join(path.posix.dirname(unit), imported) : imported,
      );
    }
  };
  add(file);
  return { language: "Solidity", sources, settings: { ...SETTINGS, ...settings } };
}

/** Locates a source. Packages are in node_modules, Solady's sources one folder deeper. */
function locate(unit: string): string {
  if (unit.startsWith("solady/")) return unit.replace("solady/", "node_modules/solady/src/");
  return unit.startsWith("@") ? `node_modules/${unit}` : unit;
}

/**
 * Compiles a source and returns one file's contracts.
 * @throws {Error} on an error, and on a warning about a source of this project
 */
export function compile(
  input: CompilerInput,
  file: string,
): Readonly<Record<string, CompiledContract>> {
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as CompilerOutput;
  const complaints = (output.errors ?? []).filter(
    ({ severity, sourceLocation }) =>
      severity === "error" || sourceLocation?.file.startsWith("contracts/"),
  );
  if (complaints.length > 0) {
    throw new Error(complaints.map(({ formattedMessage }) => formattedMessage).join("\n"));
  }
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        initCode: `0x${evm.bytecode.object}`,
        runtimeCode: `0x${evm.deployedBytecode.object}`,
      },
    ]),
  );
}
