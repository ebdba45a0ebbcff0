-- Answers where the wallet of each address was found (ctid), in the order of the addresses; null at those without an
-- entry. Without the ledger lock it is a hint: who uses a place must compare the address of the row there. Its callers may have
-- turned the index off for their own statements.
create or replace function find_wallet_places(system_id uuid, addresses bytea[]) returns tid[]
language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_indexscan = on set jit = off
as $$
  select array_agg(w.place order by c.n)
  from unnest(addresses) with ordinality as c(address, n)
  left join lateral (
    select ctid as place from wallets where point_system_id = system_id and address = c.address limit 1
  ) w on true
$$;
