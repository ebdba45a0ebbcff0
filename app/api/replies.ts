import { z } from "zod";
import { PAGE_LIMIT_MAX } from "../domain/pagination";
import { REWARD_CHAIN_IDS } from "../domain/rewards/reward";
import { isRewardChainId } from "../domain/rewards/reward-chain";

// Shapes of answers that several endpoints share. They are strict: an undocumented field fails a
// test. A shape with an `id` is a schema of its own in the OpenAPI document.

export const AddressReply = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ id: "Address", description: "A wallet or contract: 0x and 40 lowercase digits" });

export const WalletEntryReply = z
  .strictObject({
    address: AddressReply.describe("The wallet, lowercase"),
    points: z.int().nonnegative().describe("Points in total"),
    events: z.int().nonnegative().describe("Number of point events"),
    rank: z.int().positive().describe("Place on the whole leaderboard, from 1"),
  })
  .meta({ id: "WalletEntry" });

export const PaginationReply = z
  .strictObject({
    page: z.int().positive().describe("This page, from 1"),
    limit: z.int().min(1).max(PAGE_LIMIT_MAX).describe("Entries on a page"),
    total: z.int().nonnegative().describe("Entries on all pages"),
    totalPages: z.int().nonnegative().describe("Number of pages; 0 when there are no entries"),
  })
  .meta({ id: "Pagination" });

export const RewardChainReply = z.int().refine(isRewardChainId).meta({
  enum: REWARD_CHAIN_IDS,
  description: "5031 Somnia, 50312 its testnet, 8453 Base, 84532 Base Sepolia",
});

/** A whole number of a token's base units, or of an id on chain: too large for a JSON number. */
export const BaseUnitsReply = z.string().regex(/^(0|[1-9]\d*)$/);

/** 32 bytes: a transaction, or a node of a Merkle tree. */
export const HashReply = z.string().regex(/^0x[0-9a-f]{64}$/);

/** Formats a time as answers write it. */
export function toIso(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
