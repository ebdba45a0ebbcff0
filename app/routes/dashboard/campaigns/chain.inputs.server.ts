import type { Hex } from "viem";
import { z } from "zod";
import { AddressInput } from "../../shared.inputs.server";

const TransactionHash = z
  .string()
  .trim()
  .regex(/^0x[0-9a-f]{64}$/i, "Enter a transaction hash: 0x and 64 hexadecimal digits")
  .transform((text) => text.toLowerCase() as Hex);

export const AdminInput = z.object({ admin: AddressInput });
export const ReportInput = z.object({ txHash: TransactionHash });
