import http from "node:http";
import { SMALL_FIXTURE } from "./server-process";

/** Longer than any call takes that a process has read. */
const CALLER_WAITS_MS = 5_000;
const { pointSystemId, token } = SMALL_FIXTURE;

/** Fires the trigger over a connection that is kept. Answers the status, or the error's code. */
export function fireOnce(
  agent: http.Agent,
  url: string,
  walletAddress: string,
): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const options = { agent, method: "POST", headers, timeout: CALLER_WAITS_MS };
    const request = http
      .request(`${url}/trigger`, options, (response) => {
        response
          .on("error", () => resolve("CUT"))
          .on("end", () => resolve(response.statusCode ?? 0));
        response.resume();
      })
      .on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
      .on("timeout", () => {
        resolve("ETIMEDOUT");
        request.destroy();
      })
      .end(JSON.stringify({ triggerKey: "daily_login", walletAddress, pointSystemId }));
  });
}

/** Calls over kept connections without a pause, each call for another wallet, until a call is refused. */
export function callUntilRefused(
  url: string,
  { callers, round }: { callers: number; round: number },
) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: callers });
  const outcomes: (number | string)[] = [];
  const load = Array.from({ length: callers }, async (_, caller) => {
    for (let n = 0; ; n += 1) {
      const number = round * 10_000_000 + caller * 100_000 + n;
      const outcome = await fireOnce(agent, url, `0x${number.toString(16).padStart(40, "0")}`);
      if (outcome === "ECONNREFUSED") return;
      outcomes.push(outcome);
    }
  });
  return { outcomes, hasEnded: Promise.all(load).finally(() => agent.destroy()) };
}
