-- Says to the webhooks that a transaction funded buckets of a campaign, or cancelled it, with the amount that it paid
-- in or took back.
create or replace function say_airdrop(system uuid, reward uuid, hash bytea)
returns void
language sql as $$
  select say_webhook_events(system, s.event_type, array[jsonb_build_object(
    'rewardId', r.id, 'campaignId', r.campaign_id, 'name', r.campaign_name,
    'amount', format_token_amount(s.amount_wei, r.token_decimals), 'tokenSymbol', r.token_symbol,
    'chainId', a.chain_id, 'contract', '0x' || encode(a.contract_address, 'hex'),
    'onchainId', a.onchain_id::text, 'transaction', '0x' || encode(hash, 'hex'))])
  from airdrops a
  join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
  cross join lateral (
    select 'campaign.funded' as event_type, sum((e.bucket ->> 1)::numeric) as amount_wei
    from chain_logs l cross join lateral jsonb_array_elements(l.fields -> 'buckets') e(bucket)
    where l.chain_id = a.chain_id and l.tx_hash = hash and l.contract = a.contract_address
      and l.onchain_id = a.onchain_id and l.kind = 'buckets'
    union all
    select 'campaign.cancelled',
      case when bool_or(l.kind = 'cancellation') then coalesce(sum(l.amount_wei), 0) end
    from chain_logs l
    where l.chain_id = a.chain_id and l.tx_hash = hash and l.contract = a.contract_address
      and l.onchain_id = a.onchain_id and l.kind in ('cancellation', 'refund')
  ) s
  where a.point_system_id = system and a.reward_id = reward and s.amount_wei is not null
$$;
