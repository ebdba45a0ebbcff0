import { z } from "zod";
import { isRewardChainId } from "../domain/rewards/reward-chain";

// Shapes of answers that several endpoints share. They are strict: an undocumented field fails a
// test.

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

export const RewardChainReply = z.int().refine(isRewardChainId);

/** A whole number of a token's base units, or of an id on chain: too large for a JSON number. */
export const BaseUnitsReply = z.string().regex(/^(0|[1-9]\d*)$/);

export const TransactionHashReply = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Formats a time as answers write it. */
export function toIso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
