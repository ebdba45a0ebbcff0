import type { Env } from "../env";
import { describeError } from "../process/describe-error";
import type { ToChild, ToPrimary } from "./cluster-messages";
import { isReadinessProbed } from "./health";
import { serveBuild } from "./serve";
import { stopAndExit } from "./signals";
import { startWorkerProcess } from "./start-worker";

/** The time within which the other processes close their listeners. */
const ALL_CLOSED_MS_MAX = 1_500;
const PROBED_EVERY_MS = 1_000;

type Message<Type extends ToChild["type"]> = Extract<ToChild, { readonly type: Type }>;

const tell = (message: ToPrimary) => process.send?.(message, () => {});

/** Waits for the primary's next message of a type. */
function hear<Type extends ToChild["type"]>(type: Type): Promise<Message<Type>> {
  return new Promise((resolve) => {
    const listen = (message: ToChild) => {
      if (message.type !== type) return;
      process.off("message", listen);
      resolve(message as Message<Type>);
    };
    process.on("message", listen);
  });
}

/**
 * Runs one of the processes of a service, as its primary says. It ends when the primary tells it
 * to, or ends itself.
 * @param clientFolder the files that browsers load
 */
export async function obeyPrimary(env: Env, clientFolder: string): Promise<void> {
  // The primary gets these as well, and stops its children.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
  let stop: (graceMs: number) => Promise<void> = async () => {};
  let isStopping = false;
  const stopOnce = (graceMs: number) => {
    if (isStopping) return;
    isStopping = true;
    stopAndExit(stop, graceMs);
  };
  process.once("disconnect", () => stopOnce(0));
  void hear("stop").then(({ graceMs }) => stopOnce(graceMs));

  const begun = hear("begin");
  tell({ type: "hello" });
  const { role, address, place, isFirst } = await begun;
  try {
    if (role === "worker") {
      const running = await startWorkerProcess(env, address, place);
      stop = () => running.stop();
      void running.outdated.then(() => tell({ type: "outdated" }));
      tell({ type: "serving", url: null, setUpUrl: null });
      return;
    }
    let isComplete = false;
    process.on("message", (message: ToChild) => {
      if (message.type === "complete") isComplete = message.isComplete;
    });
    const running = await serveBuild({ ...env, WORKER: false }, clientFolder, {
      address,
      makesSetUpLink: isFirst,
      place,
      isComplete: () => isComplete,
      endTurn: turnPrimary,
      onClosed: waitForOthers,
    });
    stop = running.stop;
    void running.outdated.then(() => tell({ type: "outdated" }));
    tell({ type: "serving", url: running.url, setUpUrl: running.setUpUrl });
    followProbes();
  } catch (error) {
    tell({ type: "failed", message: describeError(error) });
    process.exitCode = 1;
    process.disconnect();
  }
}

async function turnPrimary(): Promise<void> {
  const turned = hear("turned");
  tell({ type: "turn" });
  await turned;
}

async function waitForOthers(): Promise<void> {
  const allClosed = hear("all-closed");
  tell({ type: "closed" });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ALL_CLOSED_MS_MAX);
  });
  await Promise.race([allClosed, late]);
  clearTimeout(timer);
}

function followProbes(): void {
  let isProbed = false;
  setInterval(() => {
    if (isProbed === isReadinessProbed()) return;
    isProbed = !isProbed;
    tell({ type: "probed", isProbed });
  }, PROBED_EVERY_MS).unref();
}
