-- Answers the wallet that holds the points of an event after a later position of the ledger: the event's own, until a
-- move took them to a primary wallet, and from there on perhaps to the next one. A move takes all that a wallet has.
create or replace function find_event_holder(system uuid, wallet bytea, event_seq bigint, until_seq bigint) returns bytea
language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
  holder bytea := wallet;
  reached_seq bigint := event_seq;
  move record;
begin
  loop
    select e.seq, e.named_address into move from point_events e
    where e.point_system_id = system and e.address = holder and e.moved_events < 0
      and e.seq > reached_seq and e.seq <= until_seq
    order by e.point_system_id, e.address, e.seq limit 1;
    exit when not found;
    holder := move.named_address;
    reached_seq := move.seq;
  end loop;
  return holder;
end $$;
