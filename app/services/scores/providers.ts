import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import {
  type Provider,
  ProviderError,
  type ProviderHooks,
  type ProviderProblem,
} from "../../chain/rpc/provider";
import { inTransaction, withDatabase } from "../../db/client";
import { scoreProviderBudgets, scoreProviderStates } from "../../db/schema/scores";

/**
 * The share of a provider's calls that the daily refresh may use; the rest is for live requests.
 */
const BACKGROUND_SHARE = 0.7;
/** The longest wait for a free slot of a provider; a later slot is not taken. */
const WAIT_MAX_MS = { live: 12_000, background: 2_000 } as const;
/** The interval at which an unchanged state of a provider is written. */
const REPORT_EVERY_MS = 60_000;

type Pace = keyof typeof WAIT_MAX_MS;

/** The last states that this process wrote, with their times: one entry for each provider. */
const reported = new Map<string, { problem: ProviderProblem | null; at: number }>();

/** Creates hooks that keep calls within the providers' limits, in all processes together. */
export function createProviderHooks(pace: Pace, signal: AbortSignal): ProviderHooks {
  return {
    signal,
    async awaitSlot(provider) {
      const pause = (ms: number) =>
        sleep(ms, undefined, { signal }).catch(() => {
          throw new ProviderError("too_slow");
        });
      for (;;) {
        if (signal.aborted) throw new ProviderError("too_slow");
        const waitMs = await reserveSlot(provider, pace);
        if (waitMs !== null) return waitMs > 0 ? pause(waitMs) : undefined;
        // Background work reserves no slot while it waits, since a reserved slot would delay live
        // requests.
        const isLater = pace === "background" && (await hasCallsLeft(provider));
        if (!isLater) throw new ProviderError("budget_used");
        await pause(WAIT_MAX_MS.background);
      }
    },
    async pause(provider, pauseMs) {
      await withDatabase((db) =>
        db.execute(sql`
          update ${scoreProviderBudgets}
          set next_at = greatest(next_at, clock_timestamp() + make_interval(secs => ${pauseMs / 1_000}))
          where provider = ${provider.id}`),
      );
    },
    report(provider, chainId, problem) {
      const key = `${provider.id} ${chainId}`;
      const last = reported.get(key);
      if (last?.problem === problem && Date.now() - last.at < REPORT_EVERY_MS) return;
      reported.set(key, { problem, at: Date.now() });
      // A failure to write the state must not fail the call.
      writeState(provider, chainId, problem).catch(() => reported.delete(key));
    },
  };
}

/**
 * Reserves the provider's next free slot. A provider has one row, whose lock serializes
 * reservations.
 * @returns the time until the slot, in milliseconds; null when it is too far away or the day's
 *   calls are used up
 */
async function reserveSlot(provider: Provider, pace: Pace): Promise<number | null> {
  const seconds = 1 / provider.callsPerSecond;
  const isBackground = pace === "background";
  const [row] = await inTransaction(async (tx) => {
    await tx.execute(sql`
        insert into ${scoreProviderBudgets}
          (provider, next_at, next_background_at, day, calls, background_calls)
        values (${provider.id}, '-infinity', '-infinity', (now() at time zone 'UTC')::date, 0, 0)
        on conflict do nothing`);
    return tx.execute<{ waitMs: number }>(sql`
        with held as materialized (
          select provider, next_at, next_background_at, day, calls, background_calls
          from ${scoreProviderBudgets} where provider = ${provider.id} for update
        ),
        turn as materialized (
          select provider, next_background_at, clock_timestamp() as now,
            (clock_timestamp() at time zone 'UTC')::date as today,
            case when day = (clock_timestamp() at time zone 'UTC')::date then calls else 0 end
              as calls,
            case when day = (clock_timestamp() at time zone 'UTC')::date
              then background_calls else 0 end as background_calls,
            greatest(clock_timestamp(), next_at, case when ${isBackground}::boolean
              then next_background_at else '-infinity' end) as at
          from held
        )
        update ${scoreProviderBudgets} b set
          next_at = t.at + make_interval(secs => ${seconds}::double precision),
          next_background_at = case when ${isBackground}::boolean
            then t.at + make_interval(secs => ${seconds / BACKGROUND_SHARE}::double precision)
            else t.next_background_at end,
          day = t.today,
          calls = t.calls + 1,
          background_calls = t.background_calls + ${isBackground ? 1 : 0}
        from turn t
        where b.provider = t.provider
          and t.calls < ${provider.callsPerDay}
          and (not ${isBackground}::boolean
            or t.background_calls < ${Math.floor(provider.callsPerDay * BACKGROUND_SHARE)})
          and t.at <= t.now + make_interval(secs => ${WAIT_MAX_MS[pace] / 1_000}::double precision)
        returning (extract(epoch from t.at - t.now) * 1000)::double precision as "waitMs"`);
  });
  return row ? row.waitMs : null;
}

/** Checks whether background work has calls left today. */
async function hasCallsLeft({ id, callsPerDay }: Provider): Promise<boolean> {
  const [row] = await withDatabase((db) =>
    db.execute(sql`
      select 1 from ${scoreProviderBudgets}
      where provider = ${id} and (
        day <> (now() at time zone 'UTC')::date
        or (calls < ${callsPerDay}
          and background_calls < ${Math.floor(callsPerDay * BACKGROUND_SHARE)})
      )`),
  );
  return row !== undefined;
}

async function writeState(
  { id }: Provider,
  chainId: number,
  problem: ProviderProblem | null,
): Promise<void> {
  await withDatabase((db) =>
    problem === null
      ? db.execute(sql`
          insert into ${scoreProviderStates} (provider, chain_id, succeeded_at)
          values (${id}, ${chainId}, now())
          on conflict (provider, chain_id) do update set succeeded_at = now()`)
      : db.execute(sql`
          insert into ${scoreProviderStates} (provider, chain_id, failed_at, failure)
          values (${id}, ${chainId}, now(), ${problem})
          on conflict (provider, chain_id) do update set failed_at = now(), failure = ${problem}`),
  );
}
