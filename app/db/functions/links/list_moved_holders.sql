-- Lists which wallet holds now what a wallet held before a move: what `address` had or got after `after` and until `until`,
-- the moment of its move, is at `holder` since, along all later moves. No row speaks of what a wallet still holds itself.
-- What rewards gave is found at the holder of its points by it (docs/decisions/086).
--
-- With `wallet`, only the rows with it as `address` or as `holder`: they are found from its own moves, however many others
-- there are.
create or replace function list_moved_holders(system uuid, wallet bytea default null)
returns table (address bytea, after timestamptz, until timestamptz, holder bytea)
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  newest constant bigint := 9223372036854775807;
  -- All moves, in their order; `nexts` is the place of the move that takes on what a move gave.
  givers bytea[];
  takers bytea[];
  afters timestamptz[];
  untils timestamptz[];
  nexts int[];
begin
  if not has_moves(system) then
    return;
  end if;
  if wallet is null then
    -- From the newest move back, each ends where its next one does: a holder may move the same points thousands of times.
    with moves as (
      select e.address, e.named_address, e.seq, e.created_at, row_number() over (order by e.seq)::int as n,
        coalesce(lag(e.created_at) over (partition by e.address order by e.seq), '-infinity') as after
      from point_events e
      where e.point_system_id = system and e.moved_events < 0
    ),
    ends as (
      select m.address as wallet, m.seq, null::int as given, m.n as taken from moves m
      union all
      select m.named_address, m.seq, m.n, null from moves m
    ),
    followed as (
      select e.given, min(e.taken) over (partition by e.wallet order by e.seq desc rows unbounded preceding) as next from ends e
    )
    select array_agg(m.address order by m.n), array_agg(m.named_address order by m.n), array_agg(m.after order by m.n),
      array_agg(m.created_at order by m.n), array_agg(f.next order by m.n)
    into givers, takers, afters, untils, nexts
    from moves m join followed f on f.given = m.n;
    for n in reverse coalesce(cardinality(nexts), 0)..1 loop
      if nexts[n] is not null then
        takers[n] := takers[nexts[n]];
      end if;
    end loop;
    return query select * from unnest(givers, afters, untils, takers);
    return;
  end if;
  return query
    with recursive held as (
      -- What the wallet holds came to it after its last move, and to each wallet before it between two moves.
      select wallet as address, coalesce((
          select m.seq from point_events m
          where m.point_system_id = system and m.address = wallet and m.moved_events < 0
          order by m.point_system_id desc, m.address desc, m.seq desc limit 1
        ), 0) as after_seq, '-infinity'::timestamptz as after_time,
        newest as until_seq, null::timestamptz as until_time
      union all
      select e.named_address, coalesce(b.seq, 0), coalesce(b.created_at, '-infinity'), m.seq, m.created_at
      from held h
      join point_events e on e.point_system_id = system and e.address = h.address and e.moved_events > 0
        and e.voids is not null and e.named_address is not null and e.seq > h.after_seq and e.seq < h.until_seq
      cross join lateral (
        select o.seq, o.created_at from point_events o
        where o.point_system_id = system and o.address = e.named_address and o.moved_events < 0 and o.seq < e.seq
        order by o.point_system_id desc, o.address desc, o.seq desc limit 1
      ) m
      left join lateral (
        select o.seq, o.created_at from point_events o
        where o.point_system_id = system and o.address = e.named_address and o.moved_events < 0 and o.seq < m.seq
        order by o.point_system_id desc, o.address desc, o.seq desc limit 1
      ) b on true
    )
    select h.address, h.after_time, h.until_time, wallet from held h where h.until_time is not null
    union all
    select o.address, o.after_time, o.until_time, o.holder
    from (
      select e.address, coalesce(lag(e.created_at) over (order by e.seq), '-infinity') as after_time,
        e.created_at as until_time, find_event_holder(system, e.named_address, e.seq, newest) as holder
      from point_events e
      where e.point_system_id = system and e.address = wallet and e.moved_events < 0
    ) o
    where o.holder <> wallet;
end $$;
