import { z } from "zod";
import { rebuildBooks } from "../services/board/board-books";
import { fillBoard } from "../services/board/board-fill";
import { buildAllocationInThread } from "../services/campaigns/build/build-thread";
import { runImportBatch } from "../services/imports/runner";
import { clearBatch } from "../services/point-systems/clear";
import { purgeDeletedBoards, purgeDeletedPointSystem } from "../services/point-systems/purge";
import type { Place } from "../services/point-systems/removal";
import { findDueWork } from "../services/runtime/due-work";
import {
  enqueueScheduledJob,
  type JobWork,
  type QueueName,
  runQueuedJob,
} from "../services/runtime/job-queue";
import { refreshScores } from "../services/scores/refresh";
import { makeScoreSignals } from "../services/scores/signals";
import { type Job, startWorker, type Worker } from "./worker";

/** A kind of job that waits in the database. A service defines its work. */
interface QueueJob {
  readonly name: QueueName;
  /** Queues a job without data once in each period; null when only services queue it. */
  readonly everySeconds: number | null;
  /** Whether a small job may run beside any other one. */
  readonly hasSmallJobs?: boolean;
  readonly run: JobWork;
}

/** Defines a job whose data is checked before `run` receives it. */
function defineQueueJob<Data>(
  name: QueueName,
  job: {
    readonly data: z.ZodType<Data>;
    readonly run: (data: Data, signal: AbortSignal) => ReturnType<JobWork>;
  } & Pick<QueueJob, "everySeconds" | "hasSmallJobs">,
): QueueJob {
  const run: JobWork = async (data, signal) => job.run(job.data.parse(data), signal);
  return { ...job, name, run };
}

/** The place from which a removal goes on; at first there is none. */
const PLACE = z.object({ table: z.string().optional(), after: z.string().nullish() }).optional();

/** Returns the data of what is left of a removal. */
async function goOn(data: object, removal: Promise<Place | null>): Promise<object | null> {
  const place = await removal;
  return place && { ...data, place };
}

/** A period starts at midnight UTC. */
const DAY_SECONDS = 86_400;

/** All kinds of jobs. A new kind is also named in services/runtime/job-queue.ts. */
const QUEUE_JOBS: readonly QueueJob[] = [
  defineQueueJob("build-allocation", {
    data: z.object({ pointSystemId: z.uuid(), rewardId: z.uuid(), round: z.int() }),
    everySeconds: null,
    hasSmallJobs: true,
    run: buildAllocationInThread,
  }),
  defineQueueJob("rebuild-ranks", {
    data: z.object({ pointSystemId: z.uuid() }),
    everySeconds: null,
    run: async ({ pointSystemId }, signal) => {
      await rebuildBooks(pointSystemId, signal);
    },
  }),
  defineQueueJob("run-import", {
    data: z.object({ pointSystemId: z.uuid(), importId: z.uuid() }),
    everySeconds: null,
    run: runImportBatch,
  }),
  defineQueueJob("purge-point-system", {
    data: z.object({ id: z.uuid(), place: PLACE }),
    everySeconds: null,
    run: ({ id, place }) => goOn({ id }, purgeDeletedPointSystem(id, place)),
  }),
  defineQueueJob("purge-boards", {
    data: z.object({ pointSystemId: z.uuid(), place: PLACE }),
    everySeconds: null,
    run: ({ pointSystemId, place }) =>
      goOn({ pointSystemId }, purgeDeletedBoards(pointSystemId, place)),
  }),
  defineQueueJob("clear-sandbox", {
    data: z.object({ pointSystemId: z.uuid(), place: PLACE }),
    everySeconds: null,
    run: ({ pointSystemId, place }) => goOn({ pointSystemId }, clearBatch(pointSystemId, place)),
  }),
  defineQueueJob("fill-board", {
    data: z.object({ pointSystemId: z.uuid(), windowId: z.uuid() }),
    everySeconds: null,
    run: fillBoard,
  }),
  defineQueueJob("make-score-signals", {
    data: z.object({}),
    everySeconds: DAY_SECONDS,
    run: makeScoreSignals,
  }),
  defineQueueJob("refresh-scores", {
    data: z.object({}),
    everySeconds: DAY_SECONDS,
    run: (_, signal) => refreshScores(signal),
  }),
];

const LOOK_EVERY_MS = 1_000;
const SCHEDULE_EVERY_MS = 60_000;

/**
 * Runs queued jobs until it is stopped, one of each kind at a time, and a small one beside it. Another process then
 * continues.
 */
export function startQueue(onFailure: (job: string, error: unknown) => void): Worker {
  return startWorker(QUEUE_JOBS.flatMap(toLoops), onFailure);
}

function toLoops({ name, everySeconds, hasSmallJobs, run }: QueueJob): Job[] {
  const take = [createTake(name, run, false)];
  if (hasSmallJobs) take.push(createTake(name, run, true));
  if (everySeconds === null) return take;
  const schedule: Job = {
    name: `schedule-${name}`,
    restMs: SCHEDULE_EVERY_MS,
    run: async (_, signal) => {
      if (!signal.aborted) await enqueueScheduledJob(name, everySeconds);
      return false;
    },
  };
  return [...take, schedule];
}

function createTake(name: QueueName, work: JobWork, isSmallOnly: boolean): Job {
  let hadJob = false;
  return {
    name: isSmallOnly ? `${name}-small` : name,
    restMs: LOOK_EVERY_MS,
    run: async (report, signal) => {
      // After a job, the next one is looked for at once: the shared look may be older than this one's end.
      const isDue = hadJob || (await findDueWork()).queues.includes(name);
      hadJob = false;
      hadJob = isDue && (await runQueuedJob(name, work, { signal, isSmallOnly, report }));
      return hadJob;
    },
  };
}
