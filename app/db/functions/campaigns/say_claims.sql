-- Says claims to the webhooks of their point systems, up to 100 in a delivery, in the order of the chain. Claims of
-- unknown airdrops and those that fit no share are left out.
create or replace function say_claims(event_type text, claims chain_logs[])
returns void
language plpgsql
-- Every table is read by an index, whatever its statistics say (docs/decisions/012).
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  perform say_webhook_events(b.point_system_id, event_type, array_agg(b.data order by b.batch))
  from (
    select c.point_system_id, c.n / 100 as batch,
      jsonb_build_object('claims', jsonb_agg(c.claim order by c.n)) as data
    from (
      select a.point_system_id,
        row_number() over (
          partition by a.point_system_id order by l.block_number, l.log_index) - 1 as n,
        jsonb_build_object(
          'rewardId', a.reward_id, 'campaignId', r.campaign_id,
          'address', '0x' || encode(l.account, 'hex'),
          'amount', format_token_amount(l.amount_wei, r.token_decimals),
          'tokenSymbol', r.token_symbol, 'chainId', l.chain_id,
          'transaction', '0x' || encode(l.tx_hash, 'hex'), 'blockNumber', l.block_number,
          'claimedAt', to_char(l.mined_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        ) as claim
      from unnest(claims) l
      join airdrops a on a.chain_id = l.chain_id and a.contract_address = l.contract
        and a.onchain_id = l.onchain_id
      join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
      where l.problem is null and exists (
        select from list_hearing_endpoints(a.point_system_id, event_type)
      )
    ) c
    group by c.point_system_id, c.n / 100
  ) b
  group by b.point_system_id;
end
$$;
