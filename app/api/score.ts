import { z } from "zod";
import { getScore } from "../services/scores/scores";
import { findOwnerOfKey } from "../services/scores/tenants";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply } from "./replies";

const ScoreQuery = z.object({
  address: parameters.address,
  /** Only the literal text `true` forces a new score. */
  force: z
    .string()
    .optional()
    .transform((text) => text === "true")
    .meta({
      enum: ["true"],
      description: "With true, a new score is computed, at most one a minute for an address",
    }),
});

const input = { query: ScoreQuery, failures: { missing: "missing_address" } } as const;

const Share = z.number().min(0).max(1);
const Days = z.number().nonnegative().nullable();

/** GET /score answers a wallet's reputation score, from 0 to 100. */
export const loader = endpoint("score", {
  scope: "any",
  input,
  failures: ["score_missing", "score_unavailable"],
  parse: (request) => parseQuery(input, request.url),
  reply: z.strictObject({
    id: z.uuid().describe("The score's UUID"),
    address: AddressReply.describe("The wallet, lowercase"),
    finalScore: z.number().min(0).max(100).describe("The reputation, 0 to 100"),
    breakdown: z
      .strictObject({
        age_factor: Share.describe("0 to 1; 1 at four years and more"),
        activity_factor: Share.describe("0 to 1; 1 at 2,000 transactions and more"),
        wallet_age_days: Days.describe("Days since the first transaction; null for none"),
        total_txs: z.int().nonnegative().describe("Transactions on all chains"),
        chains_active: z.int().nonnegative().describe("Chains with a transaction"),
        last_tx_days_ago: Days.describe("Days since the last transaction; null for none"),
      })
      .describe("The facts behind the score"),
    bonuses: z
      .strictObject({
        ens: z.number().min(0).max(5).describe("5 with a primary ENS or Base name"),
        multichain: z.number().min(0).max(3).describe("3 on three chains or more"),
        rewards: z.number().min(0).max(10).describe("By its place among receivers of rewards"),
      })
      .describe("Added to the score"),
    penalties: z
      .strictObject({
        recency: z.number().min(-5).max(0).describe("-5 without a transaction in 180 days"),
        humanity: z.number().min(0).max(30).describe("Subtracted for regular, bot-like times"),
        bot: z.number().min(0).max(30).describe("Subtracted for signals of blacklists"),
      })
      .describe("Taken from the score"),
    dataSources: z
      .strictObject({
        explorer: z.boolean().describe("Whether at least one chain answered"),
        rewards: z.boolean().describe("Whether data of rewards was there"),
        missingChains: z
          .array(z.int().positive())
          .readonly()
          .optional()
          .describe("Chains that did not answer. With any, the score is a lower bound"),
      })
      .describe("The data that was there"),
    cached: z.boolean().describe("Whether the score was stored before"),
    cachedAt: z.iso.datetime().nullable().describe("The time of storing; null for a new score"),
  }),
  async handle({ input: { address, force }, key }) {
    const mode = force ? "forced" : "kept";
    const findOwner = () => findOwnerOfKey(key.id);
    const { id, result, cachedAt } = await getScore(address, mode, findOwner);
    return {
      body: {
        id,
        address,
        ...result,
        cached: cachedAt !== null,
        cachedAt: cachedAt?.toISOString() ?? null,
      },
    };
  },
});
export const action = loader;
