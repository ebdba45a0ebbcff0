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
  changed record;
  airdrop record;
  confirmed bigint;
begin
  select confirmed_block into confirmed from chain_followers where chain_id = chain;
  with gone as (
    delete from chain_logs l
    where l.chain_id = chain and l.block_number between first_block and last_block
      and l.block_hash = any(dropped)
    returning l.*
  ), come as (
    insert into chain_logs
    select f.* from jsonb_populate_recordset(null::chain_logs, logs) f
    on conflict do nothing
    returning *
  ), both_ways as (
    select true as is_gone, row(g.*)::chain_logs as log, g.* from gone g
    union all select false, row(c.*)::chain_logs, c.* from come c
  )
  select
    count(*) filter (where kind = 'claim' and not is_gone) as added,
    count(*) filter (where kind = 'claim' and is_gone) as undone,
    array_agg(contract) filter (where kind = 'claim') as claim_contracts,
    array_agg(onchain_id) filter (where kind = 'claim') as claim_ids,
    array_agg(account) filter (where kind = 'claim') as claim_accounts,
    array_agg(log) filter (where kind = 'claim' and is_gone and block_number <= confirmed) as reverted,
    array_agg(log) filter (where kind = 'claim' and not is_gone and block_number <= confirmed) as late,
    array_agg(contract) filter (where kind <> 'claim') as contracts,
    array_agg(onchain_id) filter (where kind <> 'claim') as ids,
    array_agg(tx_hash) filter (where kind <> 'claim') as hashes,
    array_agg(is_gone) filter (where kind <> 'claim') as gone
  into changed from both_ways;

  if changed.claim_ids is not null then
    perform say_claims('claim.reverted', changed.reverted);
    perform settle_claims(
      chain, changed.claim_contracts, changed.claim_ids, changed.claim_accounts);
    perform say_claims('claim.confirmed', array(
      select l from unnest(changed.late) c
      join chain_logs l on l.chain_id = chain and l.block_hash = c.block_hash
        and l.log_index = c.log_index));
  end if;
  for airdrop in
    with touched as (
      select * from unnest(changed.contracts, changed.ids, changed.hashes, changed.gone)
        as t(contract, onchain_id, tx_hash, is_gone)
    ), theirs as (
      select a.point_system_id, a.reward_id, t.tx_hash, t.is_gone
      from touched t
      join airdrops a on a.chain_id = chain and a.contract_address = t.contract
        and a.onchain_id = t.onchain_id
      union
      select a.point_system_id, a.reward_id, t.tx_hash, t.is_gone
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
  return query select changed.added::integer, changed.undone::integer;
end
$$;
