/** Work that waits in the database for whichever process takes it up first. */
export const QUEUES = ["build-allocation", "reconcile-claims"] as const;

export type QueueName = (typeof QUEUES)[number];
