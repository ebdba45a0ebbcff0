import { CREDITED_WALLETS, WORLD } from "./world";
import { type Load, putLoad } from "./wrk";

interface TriggerLoadOptions {
  url: string;
  connections: number;
  seconds: number;
  mayRefuse?: boolean;
}

/** The arguments of the scripts that credit: the wallets that they draw from, and the world. */
const SCRIPT_ARGUMENTS = [
  String(CREDITED_WALLETS),
  WORLD.token,
  WORLD.pointSystemId,
  WORLD.triggerKey,
];

/** Puts trigger calls for random wallets on a URL, each with its own Idempotency-Key. */
export function putTriggerLoad(options: TriggerLoadOptions): Promise<Load> {
  return putLoad({ ...options, script: "trigger.lua", scriptArguments: SCRIPT_ARGUMENTS });
}

/**
 * Puts calls with many credits on a URL of POST /trigger/batch, each with its own idempotency key.
 * @returns the load in credits; its times are those of whole calls
 */
export async function putBatchLoad(
  options: TriggerLoadOptions & { itemsACall: number },
): Promise<Load> {
  const { itemsACall, ...others } = options;
  const load = await putLoad({
    ...others,
    script: "batch.lua",
    scriptArguments: [...SCRIPT_ARGUMENTS, String(itemsACall)],
  });
  return {
    ...load,
    requests: load.requests * itemsACall,
    perSecond: load.perSecond * itemsACall,
  };
}
