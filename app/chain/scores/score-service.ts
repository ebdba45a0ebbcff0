import { z } from "zod";
import type { Address } from "../../domain/address";
import type { ScoreResult } from "../../domain/scores/score";
import { fetchBounded } from "../rpc/bounded-fetch";

const BYTES_MAX = 64 * 1024;

const factor = z.number().min(0).max(1).default(0);
const count = z.number().int().nonnegative().default(0);
const days = z.number().nonnegative().nullable().default(null);
const part = (max: number) => z.number().min(0).max(max).default(0);

/**
 * The answer of another score engine. The score is required. An engine may omit parts that it does
 * not know, but the parts that it sends must have the documented form.
 */
const RemoteScore = z.object({
  finalScore: z.number().min(0).max(100),
  breakdown: z
    .object({
      age_factor: factor,
      activity_factor: factor,
      wallet_age_days: days,
      total_txs: count,
      chains_active: count,
      last_tx_days_ago: days,
    })
    .prefault({}),
  bonuses: z.object({ ens: part(5), multichain: part(3), rewards: part(10) }).prefault({}),
  penalties: z
    .object({ recency: z.number().min(-5).max(0).default(0), humanity: part(30), bot: part(30) })
    .prefault({}),
  dataSources: z
    .object({
      explorer: z.boolean().default(false),
      rewards: z.boolean().default(false),
      missingChains: z.array(z.int().positive()).max(30).optional(),
    })
    .prefault({}),
});

/** The outcome of a request: a score, an answer without one, or no answer. */
export type RemoteAnswer =
  | { readonly kind: "score"; readonly result: ScoreResult }
  | { readonly kind: "unusable" | "unavailable" };

/**
 * Asks another engine for a wallet's score with `GET ?address=`. It follows no redirects and reads
 * at most 64 KiB.
 */
export async function fetchRemoteScore(
  serviceUrl: string,
  address: Address,
  options: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<RemoteAnswer> {
  const url = new URL(serviceUrl);
  url.searchParams.set("address", address);
  const answer = await fetchBounded(url.href, { ...options, bytesMax: BYTES_MAX }).catch(
    () => null,
  );
  if (!answer) return { kind: "unavailable" };
  const { status, text } = answer;
  if (status >= 500 || status === 408 || status === 429) return { kind: "unavailable" };
  const score = status === 200 ? RemoteScore.safeParse(readJson(text)) : null;
  return score?.success ? { kind: "score", result: score.data } : { kind: "unusable" };
}

/** Parses JSON. Returns null for other text, which is no score either. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
