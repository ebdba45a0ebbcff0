import type { ShardTables } from "./shard-functions";

// The functions by which every node finds the shard of a point system, and keeps the order of its ledger.

/** Writes the functions of every node. */
export function writeHelpers(anchors: readonly string[]): readonly string[] {
  const shards = anchors.length;
  const width = Math.floor(2 ** 32 / shards);
  return [
    // As Citus cuts the hashes into shards.
    `create or replace function public.shard_of(system uuid) returns int language sql immutable parallel safe as $$
      select least((worker_hash(coalesce(system, '00000000-0000-0000-0000-000000000000'::uuid))::bigint + 2147483648) / ${width}, ${shards - 1})::int
    $$`,
    `create or replace function public.anchor_of(system uuid) returns uuid language sql immutable parallel safe as $$
      select (array[${anchors.map((id) => `'${id}'`).join(", ")}]::uuid[])[public.shard_of(system) + 1]
    $$`,
    `create sequence if not exists public.ledger_seq`,
    `grant usage on sequence public.ledger_seq to public`,
    // Positions come from the node that has the shard: all writers of a point system draw from one sequence.
    `create or replace function public.take_ledger_seq() returns trigger language plpgsql as $$
    begin
      if new.seq is null then
        new.seq := nextval('public.ledger_seq');
      end if;
      return new;
    end $$`,
    // Reads by a statement that names the tables of one shard.
    `create or replace function public.query_shard(statement text) returns jsonb language plpgsql stable as $$
    declare
      answer jsonb;
    begin
      execute 'select coalesce(jsonb_agg(to_jsonb(d)), ''[]'') from (' || statement || ') d' into answer;
      return answer;
    end $$`,
    // Writes by such a statement, and answers the number of rows.
    `create or replace function public.run_on_shard(system uuid, statement text) returns bigint
    language plpgsql volatile as $$
    declare
      changed bigint;
    begin
      execute format('select shard_%s.hold()', public.shard_of(system));
      execute statement;
      get diagnostics changed = row_count;
      return changed;
    end $$`,
    // The same for a statement that returns rows.
    `create or replace function public.change_on_shard(system uuid, statement text) returns jsonb
    language plpgsql volatile as $$
    declare
      answer jsonb;
    begin
      execute format('select shard_%s.hold()', public.shard_of(system));
      execute 'with changed as (' || statement || ') select coalesce(jsonb_agg(to_jsonb(c)), ''[]'') from changed c'
      into answer;
      return answer;
    end $$`,
    // The wallets of a window lie beside those of its point system: their shards must be one.
    `create or replace function public.keep_window_beside() returns trigger language plpgsql as $$
    begin
      while public.shard_of(new.id) <> public.shard_of(new.point_system_id) loop
        new.id := gen_random_uuid();
      end loop;
      return new;
    end $$`,
  ];
}

/**
 * Writes the function that every writing call on a shard begins with. It holds off a move of the shard until the end of
 * the transaction, refuses when the shard was moved away meanwhile, and after a move takes the node's sequence
 * beyond every position that came along.
 */
export function writeHold(schema: string, shardId: string, tables: ShardTables): string {
  const t = (name: string) => `public.${tables.get(name)}`;
  return `create or replace function ${schema}.hold() returns void language plpgsql volatile security definer as $$
  declare
    here int;
    last_node int;
    newest bigint;
  begin
    perform lock_shard_metadata(5, array[${shardId}]::bigint[]);
    select g.groupid into here from pg_catalog.pg_dist_local_group g;
    if not exists (select from pg_catalog.pg_dist_placement p where p.shardid = ${shardId} and p.groupid = here) then
      raise exception 'The shard of the point system was moved' using errcode = 'serialization_failure';
    end if;
    select a.node into last_node from ${t("shard_anchors")} a;
    if last_node = here then
      return;
    end if;
    select a.node into last_node from ${t("shard_anchors")} a for update;
    if last_node = here then
      return;
    end if;
    select greatest(
      (select max(s.newest) from ${t("point_system_totals")} s0 cross join lateral (
        select greatest(
          (select max(e.seq) from ${t("point_events")} e where e.point_system_id = s0.point_system_id),
          (select max(e.seq) from ${t("spends")} e where e.point_system_id = s0.point_system_id),
          (select max(e.seq) from ${t("webhook_deliveries")} e where e.point_system_id = s0.point_system_id)
        ) as newest
      ) s),
      (select max(c.seq) from ${t("rank_cursors")} c), (select max(m.seq) from ${t("rank_moves")} m),
      (select max(w.closed_seq) from ${t("board_windows")} w), (select max(c.seq) from ${t("tier_cursors")} c),
      (select max(greatest(s.counted_seq, s.pays_after_seq)) from ${t("streaks")} s), 0
    ) into newest;
    perform pg_advisory_xact_lock(hashtextextended('ledger_seq', 0));
    perform setval('public.ledger_seq', newest + 1000000) from public.ledger_seq s where s.last_value <= newest;
    update ${t("shard_anchors")} set node = here;
  end $$`;
}
