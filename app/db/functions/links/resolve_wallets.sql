-- Answers the wallets that hold the points of these wallets, each at its place (find_primary), and at the place of each
-- linked one the wallet that was named; null elsewhere. The caller holds the ledger lock.
create or replace function resolve_wallets(system uuid, wallets bytea[], out primaries bytea[], out named bytea[])
language sql stable as $$
  select array_agg(r.primary_address order by q.n),
    array_agg(nullif(q.address, r.primary_address) order by q.n)
  from unnest(wallets) with ordinality as q(address, n)
  cross join lateral (select find_primary(system, q.address) as primary_address offset 0) r
$$;
