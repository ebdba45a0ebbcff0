import { keccak256, stringToHex } from "viem";
import type { Address } from "../address";
import type { PlainCall } from "./calls";

// The file that Safe's Transaction Builder imports.
// Source: safe-global/safe-react-apps, apps/tx-builder, typings/models.ts and lib/checksum.ts.

interface BatchFile {
  readonly version: "1.0";
  readonly chainId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly meta: {
    readonly name: string;
    readonly description: string;
    readonly txBuilderVersion: string;
    readonly createdFromSafeAddress: string;
    readonly createdFromOwnerAddress: string;
    readonly checksum?: string;
  };
  readonly transactions: readonly {
    readonly to: string;
    readonly value: string;
    readonly data: string;
    readonly contractMethod: null;
    readonly contractInputsValues: null;
  }[];
}

const TX_BUILDER_VERSION = "1.18.0";

/** Writes calls as a batch that a Safe proposes as one transaction. */
export function createSafeBatch(options: {
  readonly chainId: number;
  readonly safe: Address;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly calls: readonly PlainCall[];
}): BatchFile {
  const file: BatchFile = {
    version: "1.0",
    chainId: String(options.chainId),
    createdAt: options.createdAt.getTime(),
    meta: {
      name: options.name,
      description: options.description,
      txBuilderVersion: TX_BUILDER_VERSION,
      createdFromSafeAddress: options.safe,
      createdFromOwnerAddress: "",
    },
    transactions: options.calls.map(({ to, value, data }) => ({
      to,
      value: value.toString(),
      data,
      contractMethod: null,
      contractInputsValues: null,
    })),
  };
  return { ...file, meta: { ...file.meta, checksum: getChecksum(file) } };
}

/**
 * Computes the checksum that the builder compares on import; without it the builder warns. It
 * covers everything but the batch's name.
 */
export function getChecksum({ meta, ...file }: BatchFile): string {
  const { checksum: _, ...rest } = meta;
  return keccak256(stringToHex(serialize({ ...file, meta: { ...rest, name: null } })));
}

/**
 * Serializes as the builder does: every object by its sorted keys, then the values with a comma
 * after each.
 */
function serialize(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(serialize).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields).sort();
  return `{${JSON.stringify(keys)}${keys.map((key) => `${serialize(fields[key])},`).join("")}}`;
}
