-- Lists the next point systems after an id, with the positions that tell whether their ledgers have a tail.
create or replace function list_tails(after_id uuid, systems_max int)
returns table (id uuid, event_seq bigint, move_seq bigint, ranks_seq bigint, statistics_seq bigint,
  activity_seq bigint)
language plpgsql stable
as $$
begin
  return query execute format(
    'select t.id, t.seqs[1], t.seqs[2], t.seqs[3], t.seqs[4], t.seqs[5] from (
      select t.point_system_id as id, read_tail(t.point_system_id) as seqs from point_system_totals t
      join point_systems p on p.id = t.point_system_id and p.deleted_at is null
      where t.point_system_id > %L order by t.point_system_id limit %s
    ) t', after_id, coalesce(systems_max::text, 'all')
  );
end $$;
