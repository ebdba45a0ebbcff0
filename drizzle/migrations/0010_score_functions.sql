-- An answer names the computation that it comes from: that row must not change afterwards.
create function refuse_score_change() returns trigger language plpgsql as $$
begin
  raise exception 'a score is never changed once it stands' using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger scores_immutable
  before update on scores
  for each statement execute function refuse_score_change();
