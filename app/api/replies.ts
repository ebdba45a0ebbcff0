import { z } from "zod";

// Shapes that more than one endpoint answers. Strict: a field that is not documented fails a test.

export const AddressReply = z.string().regex(/^0x[0-9a-f]{40}$/);

export const WalletEntryReply = z.strictObject({
  address: AddressReply,
  points: z.int().nonnegative(),
  events: z.int().nonnegative(),
  rank: z.int().positive(),
});

export const PaginationReply = z.strictObject({
  page: z.int().positive(),
  limit: z.int().min(1).max(200),
  total: z.int().nonnegative(),
  totalPages: z.int().nonnegative(),
});
