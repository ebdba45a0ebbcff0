import { randomUUID } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { type Transaction, withDatabase, withOwnConnection } from "../../db/client";
import { scoreSignalRuns, scoreSignals } from "../../db/schema/scores";
import type { Address } from "../../domain/address";
import { SCORE_RULES } from "../../domain/scores/rules";
import type { ScoreSignals } from "../../domain/scores/score";
import { enqueueJob } from "../runtime/job-queue";

/** The time for which signals are valid. They are made each night; much older ones are ignored. */
const GOOD_FOR_MS = 3 * 86_400_000;
/** The key of the advisory lock, an arbitrary number: one process makes signals at a time. */
const SIGNALS_LOCK = 7_014_061;

const NO_SIGNALS: ScoreSignals = { rewardsBonus: 0, operators: 0, reasonWeight: 0 };

/**
 * Finds a wallet's signals from this installation's rewards and blacklists; null when they are not
 * known.
 */
export async function findScoreSignals(address: Address): Promise<ScoreSignals | null> {
  const [[run], [signals]] = await withDatabase((db) =>
    Promise.all([
      db.select().from(scoreSignalRuns).limit(1),
      db.select().from(scoreSignals).where(eq(scoreSignals.address, address)),
    ]),
  );
  if (!run || Date.now() - run.madeAt.getTime() > GOOD_FOR_MS) return null;
  return signals ?? NO_SIGNALS;
}

/**
 * Queues a new computation of the signals after many additions at once. Until it is done the old
 * ones are used.
 */
export async function queueScoreSignals(tx: Transaction): Promise<void> {
  // The job has a key of its own, since a waiting job may begin before this transaction commits.
  await enqueueJob(tx, "make-score-signals", {}, randomUUID());
}

/**
 * Computes the signals of all wallets as a queued job, in one statement over the current data.
 * Readers see the previous signals meanwhile.
 */
export async function makeScoreSignals(): Promise<void> {
  await withOwnConnection((db) =>
    db.transaction(async (tx) => {
      // Runs are serialized: a run under way may have begun before the data that this one must see.
      await tx.execute(sql`select pg_advisory_xact_lock(${SIGNALS_LOCK})`);
      await tx.execute(MAKE_SIGNALS);
      await tx.execute(sql`
        insert into ${scoreSignalRuns} (id, made_at) values (1, now())
        on conflict (id) do update set made_at = now()`);
    }),
  );
}

const { bot, rewardsBonusMax } = SCORE_RULES;

/**
 * Computes the weight of a blacklist reason. The greatest weight that an operator gives a wallet
 * counts.
 */
const reasonWeight = sql`case
  when (lower(coalesce(b.reason, '')) ~ ${bot.graveWords})
    = (lower(coalesce(b.reason, '')) ~ ${bot.harmlessWords}) then ${bot.weights.unclear}
  when lower(coalesce(b.reason, '')) ~ ${bot.graveWords} then ${bot.weights.grave}
  else ${bot.weights.none}
end::numeric`;

const MAKE_SIGNALS = sql`
  with participation as materialized (
    select d.address, count(*) + count(d.claimed_at) as campaigns
    from distributions d
    join rewards r on r.point_system_id = d.point_system_id and r.id = d.reward_id
    join point_systems p on p.id = d.point_system_id and p.deleted_at is null and not p.is_sandbox
    where r.status = 'distributed' or d.claimed_at is not null
    group by d.address
  ),
  bonuses as materialized (
    -- rank() - 1 have less; rank() + equal - 1 have no more.
    select address, campaigns, round(
      (less + equal / 2.0) / everybody * ${rewardsBonusMax}::numeric
    )::int as bonus
    from (
      select address, campaigns, rank() over (order by campaigns) - 1 as less,
        count(*) over (partition by campaigns) as equal, count(*) over () as everybody
      from participation
    ) ranked
  ),
  listed as materialized (
    select p.operator_id, b.address, max(${reasonWeight}) as weight
    from blacklist b
    join point_systems p on p.id = b.point_system_id and p.deleted_at is null and not p.is_sandbox
    group by p.operator_id, b.address
  ),
  taking_part as materialized (
    select distinct p.operator_id, w.address
    from wallets w join point_systems p on p.id = w.point_system_id and p.deleted_at is null and not p.is_sandbox
  ),
  theirs as materialized (
    select coalesce(t.operator_id, l.operator_id) as operator_id,
      coalesce(t.address, l.address) as address,
      t.address is not null as takes_part, l.weight
    from taking_part t
    full join listed l on l.operator_id = t.operator_id and l.address = t.address
  ),
  heard as materialized (
    select t.operator_id from theirs t join operators o on o.id = t.operator_id
    where o.created_at <= now() - make_interval(days => ${bot.operatorAgeDaysMin})
    group by t.operator_id
    having count(*) filter (where t.takes_part) >= ${bot.operatorWalletsMin}
      and count(t.weight) <= count(*) * ${bot.blacklistedShareMax}::numeric
  ),
  suspicion as materialized (
    select t.address, count(*)::int as operators, sum(t.weight) as weight
    from theirs t join heard h on h.operator_id = t.operator_id
    group by t.address having count(t.weight) > 0
  ),
  made as materialized (
    select coalesce(b.address, s.address) as address, coalesce(b.campaigns, 0)::int as participation,
      coalesce(b.bonus, 0) as rewards_bonus, coalesce(s.operators, 0) as operators,
      coalesce(s.weight, 0)::double precision as reason_weight
    from bonuses b full join suspicion s on s.address = b.address
  ),
  gone as (
    delete from ${scoreSignals} s
    where not exists (select 1 from made m where m.address = s.address)
  )
  insert into ${scoreSignals} as s
    (address, participation, rewards_bonus, operators, reason_weight)
  select address, participation, rewards_bonus, operators, reason_weight from made
  on conflict (address) do update set
    participation = excluded.participation,
    rewards_bonus = excluded.rewards_bonus,
    operators = excluded.operators,
    reason_weight = excluded.reason_weight
  where (s.participation, s.rewards_bonus, s.operators, s.reason_weight)
    is distinct from
    (excluded.participation, excluded.rewards_bonus, excluded.operators, excluded.reason_weight)`;
