-- safe beside the release before
ALTER TABLE "rank_moves" ALTER COLUMN "seq" SET DEFAULT nextval('point_events_seq_seq');