import { toEventSelector } from "viem";
import { sendJson, startHttpFake } from "./http-fake";

// A JSON-RPC endpoint in front of a chain, with faults that tests can switch on.

type Call = { id: number; method: string; params?: unknown[] };
type Log = { blockNumber: string; blockTimestamp?: string; topics: string[] };
const CLAIMED = toEventSelector("Claimed(uint256,address,uint256,bytes32)");
interface RpcFaults {
  /** Answers only 503. */
  down?: boolean;
  /** Knows no block above this one. */
  headMax?: number;
  /** Refuses requests for logs of more blocks than this. */
  rangeMax?: number;
  /** Omits logs that exist: all claims of an answer, its last claim, or everything. */
  hidesLogs?: "all" | "last" | "everything";
  /** Omits the time of logs, as many endpoints do. */
  hidesTimes?: boolean;
  rateLimited?: boolean;
  /** Answers something else: a raw body, nothing at all, or only the beginning of an answer. */
  instead?: (method: string, params: unknown[]) => RawReply | "hangs" | "trickles" | undefined;
  /** Runs before each answer, and delays it until it resolves. */
  before?: (method: string) => Promise<void> | void;
  /** Runs once the answer is read from the chain, and delays it as well. */
  after?: (method: string, result: unknown) => Promise<void> | void;
}

export interface RawReply {
  status?: number;
  type?: string;
  body: string;
}

export async function startRpcProxy(target: string) {
  const proxy = {
    url: "",
    faults: {} as RpcFaults,
    /** The methods that were called. */
    calls: [] as string[],
    stop: async () => {},
  };
  const fake = await startHttpFake((_request, body, response) => {
    const call = JSON.parse(body) as Call;
    proxy.calls.push(call.method);
    const instead = proxy.faults.instead?.(call.method, call.params ?? []);
    if (instead === "hangs") return;
    if (instead !== undefined) {
      const isWhole = instead !== "trickles";
      const { status = 200, type = "application/json", body } = isWhole ? instead : { body: "{" };
      response.writeHead(status, { "Content-Type": type });
      if (isWhole) response.end(body);
      else response.write(body);
      return;
    }
    answer(call).then(
      ([status, reply]) => sendJson(response, { jsonrpc: "2.0", id: call.id, ...reply }, status),
      () => response.destroy(),
    );
  });
  proxy.url = fake.url;
  proxy.stop = fake.stop;

  async function ask(call: Call) {
    const response = await fetch(target, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...call }),
    });
    return (await response.json()) as { result?: unknown; error?: unknown };
  }

  async function answer(call: Call): Promise<[number, { result?: unknown; error?: unknown }]> {
    const { faults } = proxy;
    await faults.before?.(call.method);
    if (faults.down) return [503, {}];
    if (faults.rateLimited) return [429, { error: { code: 429, message: "Too many requests" } }];
    const { method, params = [] } = limitToHead(call, faults.headMax);
    const isTooHigh = faults.headMax !== undefined && getHeight(params[0]) > faults.headMax;
    if (method === "eth_getBlockByNumber" && isTooHigh) return [200, { result: null }];
    if (method === "eth_getLogs" && faults.rangeMax !== undefined) {
      const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
      if (Number(toBlock) - Number(fromBlock) + 1 > faults.rangeMax) {
        const message = `query exceeds max block range ${faults.rangeMax}`;
        return [200, { error: { code: -32005, message } }];
      }
    }
    const reply = await ask({ id: call.id, method, params });
    await faults.after?.(method, reply.result);
    if (method !== "eth_getLogs" || !Array.isArray(reply.result)) return [200, reply];
    return [200, { result: hide(reply.result as Log[], faults) }];
  }
  return proxy;
}

const getHeight = (tag: unknown) => (/^0x/.test(String(tag)) ? Number(tag) : 0);

function limitToHead({ id, method, params = [] }: Call, headMax: number | undefined): Call {
  if (headMax === undefined) return { id, method, params };
  const head = `0x${headMax.toString(16)}`;
  if (method === "eth_getBlockByNumber" && params[0] === "latest") {
    return { id, method, params: [head, ...params.slice(1)] };
  }
  if (method === "eth_getBlockByNumber" && params[0] === "finalized") {
    return {
      id,
      method,
      params: [`0x${Math.max(0, headMax - 2).toString(16)}`, ...params.slice(1)],
    };
  }
  if (method !== "eth_getLogs") return { id, method, params };
  const filter = params[0] as { toBlock: string };
  const toBlock = Number(filter.toBlock) > headMax ? head : filter.toBlock;
  return { id, method, params: [{ ...filter, toBlock }] };
}

function hide(logs: Log[], { hidesLogs, hidesTimes }: RpcFaults): Log[] {
  const isClaim = ({ topics }: Log) => topics[0] === CLAIMED;
  const last = logs.findLast(isClaim);
  const shown = logs.filter((log) => {
    if (hidesLogs === "everything") return false;
    return hidesLogs === "all" ? !isClaim(log) : hidesLogs === undefined || log !== last;
  });
  return hidesTimes ? shown.map(({ blockTimestamp: _, ...log }) => log) : shown;
}
