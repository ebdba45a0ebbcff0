import type { Hex } from "viem";
import { z } from "zod";
import { type Address, parseAddress } from "../../../domain/address";

const AdminAddress = z.string().transform((text, context): Address => {
  const address = parseAddress(text.trim());
  if (address) return address;
  context.addIssue({
    code: "custom",
    message: "Enter an address: 0x and 40 hexadecimal digits.",
  });
  return z.NEVER;
});

const TransactionHash = z
  .string()
  .trim()
  .regex(/^0x[0-9a-f]{64}$/i, "Enter a transaction hash: 0x and 64 hexadecimal digits.")
  .transform((text) => text.toLowerCase() as Hex);

export const AdminInput = z.object({ admin: AdminAddress });
export const ReportInput = z.object({ txHash: TransactionHash });
