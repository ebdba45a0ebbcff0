-- Keeps a stored score as it is: an answer names the computation that it comes from.
create or replace function refuse_score_change() returns trigger language plpgsql as $$
begin
  raise exception 'a score is never changed once it stands' using errcode = 'restrict_violation';
end $$;

create or replace trigger scores_immutable
  before update on scores
  for each statement execute function refuse_score_change();
