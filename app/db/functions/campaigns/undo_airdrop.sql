-- Takes back that an airdrop was created, with everything that followed: the campaign is ready again.
create or replace function undo_airdrop(system uuid, reward uuid) returns void
language plpgsql as $$
#variable_conflict use_column
declare
  a airdrops;
begin
  -- The reward is locked first, as in settle_airdrop.
  perform from rewards where point_system_id = system and id = reward for no key update;
  select * into a from airdrops where point_system_id = system and reward_id = reward for update;
  perform say_claims('claim.reverted', array(
    select l from chain_logs l join chain_followers f on f.chain_id = l.chain_id
    where l.kind = 'claim' and l.chain_id = a.chain_id and l.contract = a.contract_address
      and l.onchain_id = a.onchain_id and l.block_number <= f.confirmed_block));
  update merkle_buckets set funded_at = null, funding_tx_hash = null
  where point_system_id = system and reward_id = reward and funded_at is not null;
  update distributions set claimed_at = null, claim_tx_hash = null
  where point_system_id = system and reward_id = reward and claimed_at is not null
    and payout_reference is null;
  update rewards set status = 'active', distributed_at = null,
    claim_deadline = coalesce(a.planned_deadline, claim_deadline)
  where point_system_id = system and id = reward;
  update airdrops set status = 'ready', contract_address = null, onchain_id = null,
    creation_tx_hash = null, creation_block = null, created_onchain_at = null,
    cancelled_onchain_at = null, refunded_wei = 0, chain_admin_address = null,
    planned_deadline = null, books_closed_at = null
  where point_system_id = system and reward_id = reward;
end
$$;
