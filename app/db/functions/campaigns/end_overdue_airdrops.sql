-- Ends the airdrops of a chain whose deadline has passed by the time of a final block: no later block can hold
-- a claim of them.
create or replace function end_overdue_airdrops(chain integer, final_block bigint, final_time timestamptz)
returns void
language sql as $$
  with ended as (
    update airdrops a set status = 'ended'
    from rewards r
    where r.point_system_id = a.point_system_id and r.id = a.reward_id
      and (a.point_system_id, a.reward_id) in (
        select a.point_system_id, a.reward_id
        from airdrops a join rewards r on r.point_system_id = a.point_system_id and r.id = a.reward_id
        where a.chain_id = chain and a.status = 'active' and a.contract_address is not null
          and date_trunc('second', r.claim_deadline) < final_time
        for update of a skip locked
      )
    returning a.point_system_id, coalesce(r.campaign_id, r.campaign_name) as subject
  )
  insert into audit_log (point_system_id, actor, action, subject, after)
  select point_system_id, 'background job', 'campaign.ended', subject,
    jsonb_build_object('chainId', chain, 'finalBlock', final_block)
  from ended
$$;
