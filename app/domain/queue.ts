/** Work that waits in the database for whichever process takes it up first. */
export const QUEUES = [
  "build-allocation",
  "refresh-scores",
  "make-score-signals",
  "reconcile-claims",
] as const;

export type QueueName = (typeof QUEUES)[number];
