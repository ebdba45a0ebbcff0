-- Derives an airdrop's state from chain_logs: its creation, buckets, end, refunds, admin and deadline, with
-- the entries of the audit log.
--
-- - A creation is accepted when judge_creation finds nothing. One that the admin itself sent goes before all
--   others: the contract refuses a second one of it, so no stranger can be in its place.
-- - What is only not stored yet changes nothing: a fact is taken back when the rows of its transaction were
--   dropped. An airdrop whose creation was dropped was undone before, by replace_chain_logs.
--
-- `added` and `dropped` name the transactions whose rows have come and gone.
create or replace function settle_airdrop(
  system uuid, reward uuid, configured bytea, added bytea[], dropped bytea[]
) returns void
language plpgsql as $$
#variable_conflict use_column
declare
  a airdrops;
  r rewards;
  creation chain_logs;
  facts record;
  name text;
  is_new boolean;
  is_exact boolean;
  deadline timestamptz;
  planned timestamptz;
  confirmed bigint;
  entry jsonb;
begin
  -- The reward is locked first, so that a campaign that is cancelled at this moment stays cancelled.
  select * into r from rewards where point_system_id = system and id = reward for no key update;
  select * into a from airdrops where point_system_id = system and reward_id = reward for update;
  if a.status is null or a.status = 'building' then return; end if;
  name := coalesce(r.campaign_id, r.campaign_name);
  select confirmed_block into confirmed from chain_followers where chain_id = a.chain_id;

  select (c.log).* into creation from (
    select l as log, true as is_current from chain_logs l
    where l.chain_id = a.chain_id and l.contract = a.contract_address
      and l.onchain_id = a.onchain_id and l.kind = 'creation'
      and coalesce(a.creation_tx_hash = l.tx_hash, true)
    union all
    select l, false from chain_logs l
    where l.chain_id = a.chain_id and l.contract = configured and l.kind = 'creation'
      and l.fields ->> 'ref' = '0x' || rpad(replace(reward::text, '-', ''), 64, '0')
      and (l.contract, l.onchain_id) is distinct from (a.contract_address, a.onchain_id)
      and judge_creation(system, reward, l) is null
  ) c
  order by coalesce((c.log).fields ->> 'creator' = '0x' || encode(a.admin_address, 'hex'), false) desc,
    c.is_current desc, (c.log).block_number, (c.log).log_index
  limit 1;

  insert into audit_log (point_system_id, actor, action, subject, before)
  select system, 'background job', 'campaign.reorg', name,
    jsonb_build_object('transaction', '0x' || encode(d.tx_hash, 'hex'))
  from (select distinct unnest(dropped) as tx_hash) d
  where not exists (select from chain_logs l where l.chain_id = a.chain_id and l.tx_hash = d.tx_hash);

  is_new := creation.block_hash is not null
    and (a.contract_address, a.onchain_id) is distinct from (creation.contract, creation.onchain_id);
  if is_new and a.onchain_id is not null then
    -- Another creation takes its place.
    perform undo_airdrop(system, reward);
    select * into r from rewards where point_system_id = system and id = reward;
    select * into a from airdrops where point_system_id = system and reward_id = reward;
  end if;
  update merkle_buckets set funded_at = null, funding_tx_hash = null
  where point_system_id = system and reward_id = reward and funding_tx_hash = any(dropped);
  if creation.block_hash is null then return; end if;

  select min(mined_at) filter (where kind = 'cancellation') as cancelled_at,
    coalesce(sum(amount_wei) filter (where kind = 'refund'), 0) as refunded_wei,
    (array_agg(account order by block_number desc, log_index desc)
      filter (where kind = 'admin'))[1] as admin,
    max((fields ->> 'deadline')::numeric) filter (where kind = 'deadline') as deadline
  into facts
  from chain_logs
  where chain_id = a.chain_id and contract = creation.contract
    and onchain_id = creation.onchain_id and kind <> 'claim';
  is_exact := is_new or cardinality(dropped) > 0;
  planned := case when facts.deadline is not null then coalesce(a.planned_deadline, r.claim_deadline)
    when not is_exact then a.planned_deadline end;
  deadline := case when facts.deadline is not null then to_timestamp(facts.deadline)
    when planned is null then coalesce(a.planned_deadline, r.claim_deadline)
    else r.claim_deadline end;

  update airdrops set
    contract_address = creation.contract, onchain_id = creation.onchain_id,
    creation_tx_hash = creation.tx_hash, creation_block = creation.block_number,
    created_onchain_at = creation.mined_at, planned_deadline = planned,
    cancelled_onchain_at = coalesce(
      facts.cancelled_at, case when not is_exact then cancelled_onchain_at end),
    refunded_wei = greatest(facts.refunded_wei, case when not is_exact then refunded_wei end),
    chain_admin_address = coalesce(
      facts.admin, case when not is_exact then chain_admin_address end, creation.account),
    books_closed_at = null
  where point_system_id = system and reward_id = reward
  returning * into a;
  update airdrops set status = case
    when a.cancelled_onchain_at is not null then 'ended'
    when a.status = 'ended' and date_trunc('second', deadline) < (
      select agreed_mined_at from chain_followers where chain_id = a.chain_id
    ) then 'ended' else 'active' end
  where point_system_id = system and reward_id = reward;
  update rewards set
    status = case when is_new then 'distributed' else status end,
    distributed_at = case when is_new then now() else distributed_at end,
    claim_deadline = deadline
  where point_system_id = system and id = reward
    and (is_new or claim_deadline is distinct from deadline);
  update merkle_buckets b set funded_at = l.mined_at, funding_tx_hash = l.tx_hash
  from chain_logs l cross join lateral jsonb_array_elements(l.fields -> 'buckets') e(bucket)
  where l.chain_id = a.chain_id and l.contract = creation.contract
    and l.onchain_id = creation.onchain_id and l.kind = 'buckets'
    and b.point_system_id = system and b.reward_id = reward
    and b.root = decode(e.bucket ->> 0, 'hex') and b.total_amount_wei = (e.bucket ->> 1)::numeric
    and (b.funded_at, b.funding_tx_hash) is distinct from (l.mined_at, l.tx_hash);
  if is_new or creation.tx_hash = any(added) then
    -- Claims that were read before the airdrop was known.
    perform settle_claims(a.chain_id, array_agg(contract), array_agg(onchain_id), array_agg(account))
    from (
      select distinct contract, onchain_id, account from chain_logs
      where kind = 'claim' and chain_id = a.chain_id and contract = creation.contract
        and onchain_id = creation.onchain_id
    ) c
    having count(*) > 0;
  end if;
  if is_new then
    perform say_claims('claim.confirmed', array(
      select l from chain_logs l
      where l.kind = 'claim' and l.chain_id = a.chain_id and l.contract = creation.contract
        and l.onchain_id = creation.onchain_id and l.block_number <= confirmed));
  end if;
  for entry in insert into audit_log (point_system_id, actor, action, subject, after)
  select system, 'background job', 'campaign.chain', name, t.entry from (
    select min(block_number) as block, jsonb_build_object(
      'transaction', '0x' || encode(tx_hash, 'hex'), 'chainId', a.chain_id,
      'onchainId', creation.onchain_id::text, 'did', string_agg(distinct kind, ', ')) as entry
    from chain_logs
    where chain_id = a.chain_id and contract = creation.contract
      and onchain_id = creation.onchain_id and kind <> 'claim' and (is_new or tx_hash = any(added))
    group by tx_hash
  ) t
  -- A rescan finds what was found before.
  where not exists (
    select from audit_log o
    where o.point_system_id = system and o.action = 'campaign.chain' and o.subject = name
      and o.after ->> 'transaction' = t.entry ->> 'transaction'
  )
  order by t.block
  returning after
  loop
    perform say_airdrop(system, reward, decode(substr(entry ->> 'transaction', 3), 'hex'));
  end loop;
end
$$;
