/** A wallet address: `0x` and 40 lowercase hexadecimal characters. */
export type Address = `0x${string}`;

const ADDRESS_PATTERN = /^0x[0-9a-f]{40}$/i;

/**
 * Reads an address in any letter case; no checksum is enforced. Returns null when it is not an
 * address.
 */
export function parseAddress(text: string): Address | null {
  return ADDRESS_PATTERN.test(text) ? (text.toLowerCase() as Address) : null;
}

/** Texts around an address that wallets and explorers copy: EIP-681 links and pages of an address. */
const PASTED_PATTERNS = [
  /^ethereum:(?:pay-)?(0x[0-9a-f]{40})(?:[@/?].*)?$/i,
  /^https?:\/\/[^/\s?#]+\/(?:address|account)\/(0x[0-9a-f]{40})(?:[/?#].*)?$/i,
];

/** Reads an address that a person typed or pasted: by itself, in a wallet's or an explorer's link. */
export function findPastedAddress(text: string): Address | null {
  const trimmed = text.trim();
  if (trimmed.length > 300) return null;
  const found = PASTED_PATTERNS.map((pattern) => pattern.exec(trimmed)?.[1]).find(Boolean);
  return parseAddress(found ?? trimmed);
}

const PREFIX_PATTERN = /^0x[0-9a-f]{3,40}$/i;

/**
 * Returns the first and the last address that begin with a text: `0x` and three hexadecimal
 * characters or more, in any letter case. Returns null when the text is not such a beginning.
 */
export function getAddressRange(text: string): readonly [first: Address, last: Address] | null {
  if (!PREFIX_PATTERN.test(text)) return null;
  const prefix = text.toLowerCase();
  return [prefix.padEnd(42, "0") as Address, prefix.padEnd(42, "f") as Address];
}

/** Shortens an address to its first and last characters, for people. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
