/** A wallet address: `0x` and 40 lowercase hexadecimal characters. */
export type Address = `0x${string}`;

const ADDRESS_PATTERN = /^0x[0-9a-f]{40}$/i;

/** Reads an address in any letter case; no checksum is enforced. Null when it is not an address. */
export function parseAddress(text: string): Address | null {
  return ADDRESS_PATTERN.test(text) ? (text.toLowerCase() as Address) : null;
}

const PREFIX_PATTERN = /^0x[0-9a-f]{3,40}$/i;

/**
 * The first and the last address that begin with a text: `0x` and three hexadecimal characters or
 * more, in any letter case. Null when it is no such beginning.
 */
export function getAddressRange(text: string): readonly [first: Address, last: Address] | null {
  if (!PREFIX_PATTERN.test(text)) return null;
  const prefix = text.toLowerCase();
  return [prefix.padEnd(42, "0") as Address, prefix.padEnd(42, "f") as Address];
}

/** The first and last characters of an address, for people. */
export function shortenAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}
