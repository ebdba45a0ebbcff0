import { sql } from "drizzle-orm";
import { describeProblem } from "../../chain/rpc/provider";
import { getExplorerProvider } from "../../chain/scores/listing";
import { getNodeProvider } from "../../chain/scores/node";
import { withDatabase } from "../../db/client";
import { scoreProviderBudgets, scoreProviderStates } from "../../db/schema/scores";
import type { Administrator } from "../access/administrators";
import { getScoreSettings } from "./settings";

/** A provider as administrators see it. Its URL is shown without path, query and key. */
export interface ProviderState {
  readonly key: string;
  readonly chainId: number;
  readonly chainName: string;
  readonly kind: "rpc" | "etherscan" | "blockscout";
  readonly host: string;
  readonly succeededAt: Date | null;
  readonly failedAt: Date | null;
  /** The failure in words; null when the last call succeeded or none was made. */
  readonly failure: string | null;
  readonly callsPerSecond: number;
  /** The calls that are left for today, by UTC. */
  readonly callsLeft: number;
}

/** Lists the providers of this process's settings, with their states. */
export async function listProviderStates(_by: Administrator): Promise<ProviderState[]> {
  const { chains } = getScoreSettings();
  const [states, budgets] = await withDatabase((db) =>
    Promise.all([
      db.select().from(scoreProviderStates),
      db.execute<{ provider: string; calls: number }>(sql`
        select provider, calls::int as calls from ${scoreProviderBudgets}
        where day = (now() at time zone 'UTC')::date`),
    ]),
  );
  const callsToday = new Map(budgets.map(({ provider, calls }) => [provider, calls]));
  return chains.flatMap((chain) => {
    const nodes = chain.rpcUrls.map((url) => ({
      kind: "rpc" as const,
      url,
      provider: getNodeProvider(url),
    }));
    const explorers = chain.explorers.map((explorer) => ({
      kind: explorer.kind,
      url: explorer.url,
      provider: getExplorerProvider(explorer),
    }));
    return [...nodes, ...explorers].map(({ kind, url, provider }): ProviderState => {
      const state = states.find(
        (row) => row.provider === provider.id && row.chainId === chain.chainId,
      );
      const { succeededAt = null, failedAt = null, failure = null } = state ?? {};
      const isFailing = failedAt !== null && (succeededAt === null || failedAt > succeededAt);
      return {
        key: `${chain.chainId} ${provider.id}`,
        chainId: chain.chainId,
        chainName: chain.name,
        kind,
        host: new URL(url).host,
        succeededAt,
        failedAt,
        failure: isFailing && failure !== null ? describeProblem(failure) : null,
        callsPerSecond: provider.callsPerSecond,
        callsLeft: Math.max(0, provider.callsPerDay - (callsToday.get(provider.id) ?? 0)),
      };
    });
  });
}

/** Finds the host of the engine that replaces the built-in one; null for none. */
export function findScoreServiceHost(_by: Administrator): string | null {
  const { serviceUrl } = getScoreSettings();
  return serviceUrl === null ? null : new URL(serviceUrl).host;
}
