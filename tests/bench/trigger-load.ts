import { CREDITED_WALLETS, WORLD } from "./world";
import { type Load, putLoad } from "./wrk";

/** Puts trigger calls for random wallets on a URL, each with its own Idempotency-Key. */
export function putTriggerLoad(options: {
  url: string;
  connections: number;
  seconds: number;
  mayRefuse?: boolean;
}): Promise<Load> {
  const { token, pointSystemId, triggerKey } = WORLD;
  return putLoad({
    ...options,
    script: "trigger.lua",
    scriptArguments: [String(CREDITED_WALLETS), token, pointSystemId, triggerKey],
  });
}
