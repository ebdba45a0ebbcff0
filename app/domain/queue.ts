/** The queues of work that waits in the database for the first process that takes it. */
export const QUEUES = [
  "build-allocation",
  "refresh-scores",
  "make-score-signals",
  "reconcile-claims",
] as const;

export type QueueName = (typeof QUEUES)[number];
