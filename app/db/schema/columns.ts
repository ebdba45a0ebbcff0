import { customType, timestamp } from "drizzle-orm/pg-core";
import type { Address } from "../../domain/address";

/**
 * An address as 20 bytes: letter case cannot differ, and byte order is the order of the lowercase
 * hex.
 */
export const address = customType<{ data: Address; driverData: Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (value) => Buffer.from(value.slice(2), "hex"),
  fromDriver: (value) => `0x${Buffer.from(value).toString("hex")}`,
});

/** Raw bytes: hashes, nonces, ciphertext. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => "bytea",
  toDriver: (value) => Buffer.from(value),
  fromDriver: (value) => new Uint8Array(value),
});

/** A uint256 as an exact whole number: base units of a token, or an on-chain id. */
export const uint256 = customType<{ data: bigint; driverData: string }>({
  dataType: () => "numeric(78, 0)",
  toDriver: (value) => value.toString(),
  fromDriver: (value) => BigInt(value),
});

/** A time to the millisecond, like JavaScript's dates. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
