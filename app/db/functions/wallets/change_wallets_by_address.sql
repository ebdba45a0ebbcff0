-- Adds points and events to the wallets of addresses on a board. An address without a wallet there is passed over. The
-- caller holds the ledger lock, as does that of remove_emptied_wallets: they find each row by a look-up and change it by its
-- place, whatever the statistics say (docs/decisions/012).
create or replace function change_wallets_by_address(
  board uuid, addresses bytea[], points_added bigint[], events_added bigint[]
) returns void
language sql volatile as $$
  select change_wallets(array[board], find_wallet_places(board, addresses), points_added, events_added, null)
$$;
