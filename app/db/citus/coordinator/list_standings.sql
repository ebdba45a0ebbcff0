-- Lists where a wallet stands in every point system of an API key: one statement for each point system. The version is
-- null: every answer is computed.
create or replace function list_standings(key_id uuid, wallet bytea, known_version text)
returns table (
  version text, point_system_id uuid, name text, slug text, points bigint, events bigint, rank bigint,
  participants bigint, is_blacklisted boolean, blacklist_reason text, blacklisted_at timestamptz
)
language plpgsql stable
as $$
#variable_conflict use_column
declare
  system record;
begin
  version := null;
  return next;
  for system in
    select p.id, p.name, p.slug from api_key_point_systems s
    join point_systems p on p.id = s.point_system_id and p.deleted_at is null
    where s.api_key_id = key_id order by p.created_at, p.id
  loop
    return query
    select null::text, system.id, system.name, system.slug, r.points, r.events, r.rank, r.participants,
      r.is_blacklisted, r.blacklist_reason, r.blacklisted_at
    from read_standing(system.id, wallet) r;
  end loop;
end $$;
