-- Describes the first refusal by a trigger's cap for the webhook `trigger.cap_reached`.
create or replace function describe_cap_refusal(
  trigger_key text, wallet bytea, times bigint, points numeric, window_ends_at timestamptz
) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'triggerKey', trigger_key, 'walletAddress', '0x' || encode(wallet, 'hex'), 'times', times, 'points', points,
    'windowEndsAt', case when isfinite(window_ends_at)
      then to_char(window_ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end
  )
$$;
