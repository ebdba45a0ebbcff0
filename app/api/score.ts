import { z } from "zod";
import { Failure } from "../domain/failure";
import { getScore } from "../services/scores/scores";
import { endpoint } from "./endpoint";
import { parameters, parseQuery } from "./input";
import { AddressReply } from "./replies";

const ScoreQuery = z.object({
  address: parameters.address,
  /** Only the literal text `true` forces a new score. */
  force: z
    .string()
    .optional()
    .transform((text) => text === "true"),
});

const Share = z.number().min(0).max(1);
const Days = z.number().nonnegative().nullable();

/** Reads the query. The documented interface has a separate message for a missing address here. */
function parseScoreQuery(request: Request) {
  try {
    return parseQuery(ScoreQuery, request.url);
  } catch (error) {
    const isMissing = error instanceof Failure && error.code === "missing_parameter";
    throw isMissing ? new Failure("missing_address") : error;
  }
}

/** GET /score answers a wallet's reputation score, from 0 to 100. */
export const loader = endpoint("score", {
  scope: "any",
  parse: parseScoreQuery,
  reply: z.strictObject({
    id: z.uuid(),
    address: AddressReply,
    finalScore: z.number().min(0).max(100),
    breakdown: z.strictObject({
      age_factor: Share,
      activity_factor: Share,
      wallet_age_days: Days,
      total_txs: z.int().nonnegative(),
      chains_active: z.int().nonnegative(),
      last_tx_days_ago: Days,
    }),
    bonuses: z.strictObject({
      ens: z.number().min(0).max(5),
      multichain: z.number().min(0).max(3),
      rewards: z.number().min(0).max(10),
    }),
    penalties: z.strictObject({
      recency: z.number().min(-5).max(0),
      humanity: z.number().min(0).max(30),
      bot: z.number().min(0).max(30),
    }),
    dataSources: z.strictObject({ explorer: z.boolean(), rewards: z.boolean() }),
    cached: z.boolean(),
    cachedAt: z.iso.datetime().nullable(),
  }),
  async handle({ input: { address, force } }) {
    const { id, result, cachedAt } = await getScore(address, force ? "forced" : "kept");
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
