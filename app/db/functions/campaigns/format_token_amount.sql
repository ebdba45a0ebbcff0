-- Writes an amount of base units in whole tokens, exactly: 1500000 with 6 decimals is 1.5.
create or replace function format_token_amount(amount_wei numeric, decimals integer)
returns text
language sql immutable as $$
  select trim_scale(amount_wei * ('1e-' || decimals)::numeric)::text
$$;
