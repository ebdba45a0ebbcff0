import { z } from "zod";

// Fields of calls that a wallet signs.

export const NonceInput = z.string().regex(/^[0-9a-f]{32}$/);

/** A contract's signature can be long: only the body's own limit bounds it. */
export const SignatureInput = z
  .string()
  .regex(/^0x([0-9a-f]{2})*$/i)
  .transform((text) => text as `0x${string}`);
