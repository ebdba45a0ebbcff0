import { setTimeout as sleep } from "node:timers/promises";
import { isPassing, type Provider, ProviderError, type ProviderHooks } from "../rpc/provider";

const TRIES_MAX = 4;
const FIRST_PAUSE_MS = 400;

/**
 * Makes a call when the provider's limits allow it. A failure that passes by itself is tried again.
 * @throws {ProviderError} the error of the last try
 */
export async function runCall<T>(
  provider: Provider,
  chainId: number,
  hooks: ProviderHooks,
  call: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    await hooks.awaitSlot(provider);
    try {
      const answer = await call();
      hooks.report(provider, chainId, null);
      return answer;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      hooks.report(provider, chainId, error.problem);
      if (!isPassing(error) || tries === TRIES_MAX) throw error;
      const pauseMs = Math.max(error.retryAfterMs, FIRST_PAUSE_MS * 2 ** (tries - 1));
      if (error.problem === "rate_limited") await hooks.pause(provider, pauseMs);
      await sleep(pauseMs, undefined, { signal: hooks.signal }).catch(() => {
        throw new ProviderError("too_slow");
      });
    }
  }
}
