-- Answers why a creation on chain is not a campaign's own, in words; null when it is. Anyone can create an
-- airdrop with a campaign's reference, so everything in it must be as planned (docs/decisions/053):
--
-- - admin, token and deadline,
-- - each bucket of its transaction: a root and the total of one of the campaign's, at least one.
--
-- And no other campaign may have its id: one from a file, or one whose dropped creation is still stored.
create or replace function judge_creation(system uuid, reward uuid, creation chain_logs)
returns text
language sql stable as $$
  select case
    when r.status not in ('active', 'distributed') then 'the campaign is not active here'
    when a.admin_address is null then 'it has no admin here yet'
    when creation.account <> a.admin_address
      then 'its admin is 0x' || encode(creation.account, 'hex')
    when creation.fields ->> 'token' <> '0x' || case
        when r.token_type = 'ethereum' or r.token_address is null then repeat('0', 40)
        else encode(r.token_address, 'hex')
      end then 'its token is ' || (creation.fields ->> 'token')
    when (creation.fields ->> 'deadline')::numeric
        <> coalesce(floor(extract(epoch from coalesce(a.planned_deadline, r.claim_deadline))), 0)
      then 'its deadline differs'
    when added.buckets = 0 then 'it adds none of its buckets'
    when added.strange > 0 then 'it has a root that is not the campaign''s'
    when added.different > 0 then 'the total of a bucket differs'
    when exists (
      select from airdrops o
      where o.chain_id = creation.chain_id and o.contract_address = creation.contract
        and o.onchain_id = creation.onchain_id
        and (o.point_system_id, o.reward_id) <> (system, reward)
    ) then 'another campaign has its id'
  end
  from airdrops a
  join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
  cross join lateral (
    select count(*) as buckets, count(*) filter (where b.root is null) as strange,
      count(*) filter (where b.total_amount_wei <> (e.bucket ->> 1)::numeric) as different
    from chain_logs l
    cross join lateral jsonb_array_elements(l.fields -> 'buckets') e(bucket)
    left join merkle_buckets b on b.point_system_id = system and b.reward_id = reward
      and b.root = decode(e.bucket ->> 0, 'hex')
    where l.chain_id = creation.chain_id and l.contract = creation.contract
      and l.onchain_id = creation.onchain_id and l.kind = 'buckets'
      and l.tx_hash = creation.tx_hash
  ) added
  where a.point_system_id = system and a.reward_id = reward
$$;
