import { keccak256 } from "./keccak.js";

/** A wallet's share of an airdrop: its address, and `amount` and `merkleProof` as `getProof` answers them. */
export interface Share {
  readonly address: string;
  /** Base units of the token. */
  readonly amount: string | bigint;
  readonly merkleProof: readonly string[];
}

/** Computes the root to which a share's proof leads, as the campaign contract does. */
export function computeRoot({ address, amount, merkleProof }: Share): `0x${string}` {
  const units = BigInt(amount);
  if (units < 0n || units >> 256n) throw new RangeError("amount is not a uint256");
  const encoded = readHex(address, 20).padStart(64, "0") + units.toString(16).padStart(64, "0");
  const root = merkleProof.reduce(
    (hash, sibling) => {
      const other = readHex(sibling, 32);
      return hashHex(hash < other ? hash + other : other + hash);
    },
    hashHex(hashHex(encoded)),
  );
  return `0x${root}`;
}

/** Checks whether a share's proof leads to a root, or to one of several that the contract stores. */
export function verifyProof(share: Share, root: string | readonly string[]): boolean {
  const computed = computeRoot(share);
  return [root].flat().some((stored) => stored.toLowerCase() === computed);
}

function hashHex(hex: string): string {
  const bytes = Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return Array.from(keccak256(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function readHex(text: string, bytes: number): string {
  const [, digits] = /^0x([0-9a-f]*)$/i.exec(text) ?? [];
  if (digits?.length !== bytes * 2) throw new TypeError(`Not ${bytes} bytes as hex: ${text}`);
  return digits.toLowerCase();
}
