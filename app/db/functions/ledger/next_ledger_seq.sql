-- Takes the next position of a point system's ledger: every event, move and spend has one. They ascend in the order in
-- which the holders of the ledger lock take them.
create or replace function next_ledger_seq(system uuid) returns bigint
language sql volatile as $$
  select nextval('point_events_seq_seq')
$$;
