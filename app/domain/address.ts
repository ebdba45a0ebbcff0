/** A wallet address: `0x` and 40 lowercase hexadecimal characters. */
export type Address = `0x${string}`;

const ADDRESS_PATTERN = /^0x[0-9a-f]{40}$/i;

/** Reads an address in any letter case; no checksum is enforced. Null when it is not an address. */
export function parseAddress(text: string): Address | null {
  return ADDRESS_PATTERN.test(text) ? (text.toLowerCase() as Address) : null;
}
