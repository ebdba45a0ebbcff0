-- Replaces the stored logs of a range of blocks, and derives everything that follows from them: campaigns,
-- their buckets, their claims. Stored logs go only when their block is known to be dropped.
--
-- - `configured` is the contract in which new campaigns are created,
-- - `dropped` has the hashes of the dropped blocks in the range,
-- - `logs` the range's logs, as rows of chain_logs,
-- - `final_to` the block up to which all logs are final with these; null when there is none.
--
-- Webhooks hear of a claim when it is final, and again if it is taken back after that. `confirmed_block` is the
-- block up to which they heard; the caller moves it on, and holds the lock of the chain's row.
--
-- Answers how many claims have come and gone.
create or replace function replace_chain_logs(
  chain integer, configured bytea, first_block bigint, last_block bigint, dropped bytea[], logs jsonb,
  final_to bigint
) returns table (added integer, undone integer)
language plpgsql as $$
declare
  found chain_logs[] := array(select f from jsonb_populate_recordset(null::chain_logs, logs) f);
  gone chain_logs[];
  come chain_logs[];
  former airdrops[];
  airdrop record;
  confirmed bigint;
begin
  select confirmed_block into confirmed from chain_followers where chain_id = chain;
  with deleted as (
    delete from chain_logs l
    where l.chain_id = chain and l.block_number between first_block and last_block
      and l.block_hash = any(dropped)
    returning l as log
  )
  select array(select log from deleted) into gone;
  perform say_claims('claim.reverted', array(
    select l from unnest(gone) l where l.kind = 'claim' and l.block_number <= confirmed));
  -- Ids come from one counter of the contract: after a reorganisation an id can be that of another creation. So an
  -- airdrop whose own creation is not found again at its id is undone, before another takes the id.
  former := array(
    select a from unnest(gone) l
    join airdrops a on a.chain_id = chain and a.contract_address = l.contract
      and a.onchain_id = l.onchain_id and a.creation_tx_hash = l.tx_hash
    where l.kind = 'creation' and not exists (
      select from unnest(found) f
      where (f.kind, f.contract, f.onchain_id, f.tx_hash, f.fields)
        = (l.kind, l.contract, l.onchain_id, l.tx_hash, l.fields)));
  perform undo_airdrop(a.point_system_id, a.reward_id) from unnest(former) a;

  with inserted as (
    insert into chain_logs as l select * from unnest(found) on conflict do nothing
    returning l as log
  )
  select array(select log from inserted) into come;
  perform settle_claims(
    chain, array_agg(l.contract), array_agg(l.onchain_id), array_agg(l.account))
  from unnest(gone || come) l where l.kind = 'claim' having count(*) > 0;
  -- The rows as they are now, with the problems that were found.
  perform say_claims('claim.confirmed', array(
    select l from unnest(come) c
    join chain_logs l on l.chain_id = chain and l.block_hash = c.block_hash
      and l.log_index = c.log_index
    where c.kind = 'claim' and c.block_number <= confirmed));
  for airdrop in
    with touched as (
      select l.*, true as is_gone from unnest(gone) l where l.kind <> 'claim'
      union all select l.*, false from unnest(come) l where l.kind <> 'claim'
    ), theirs as (
      select a.point_system_id, a.reward_id, t.tx_hash, t.is_gone
      from touched t
      join (select * from airdrops union all select * from unnest(former)) a
        on a.chain_id = chain and a.contract_address = t.contract and a.onchain_id = t.onchain_id
      union
      -- Those that can take the id now: what is gone there was not theirs.
      select a.point_system_id, a.reward_id, t.tx_hash, false
      from touched t
      join chain_logs l on l.chain_id = chain and l.contract = t.contract
        and l.onchain_id = t.onchain_id and l.kind = 'creation'
      join airdrops a on a.chain_id = chain
        and l.fields ->> 'ref' = '0x' || rpad(replace(a.reward_id::text, '-', ''), 64, '0')
    )
    select point_system_id, reward_id,
      coalesce(array_agg(tx_hash) filter (where not is_gone), '{}') as added,
      coalesce(array_agg(tx_hash) filter (where is_gone), '{}') as dropped
    from theirs group by point_system_id, reward_id order by point_system_id, reward_id
  loop
    perform settle_airdrop(
      airdrop.point_system_id, airdrop.reward_id, configured, airdrop.added, airdrop.dropped);
  end loop;
  if final_to > confirmed then
    perform say_claims('claim.confirmed', array(
      select l from chain_logs l
      where l.chain_id = chain and l.kind = 'claim'
        and l.block_number > confirmed and l.block_number <= final_to));
  end if;
  return query select
    (select count(*)::integer from unnest(come) l where l.kind = 'claim'),
    (select count(*)::integer from unnest(gone) l where l.kind = 'claim');
end
$$;
