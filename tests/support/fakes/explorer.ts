import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type HttpFake, sendJson, startHttpFake } from "./http-fake";

// Simulates Etherscan's API, version 2, and Blockscout's: HTTP 200 to nearly everything.

/** A transaction as a test describes it. */
export interface FakeTransaction {
  readonly hash?: string;
  readonly from: string;
  readonly to?: string;
  /** In seconds since 1970; also the block's number unless `block` is given. */
  readonly time: number;
  readonly block?: number;
  readonly nonce?: number;
}

type Fault =
  | { readonly kind: "slow"; readonly ms: number }
  | { readonly kind: "hang" | "429" | "truncated" | "empty" | "html" | "5xx" | "redirect" }
  /** An error in Etherscan's form: HTTP 200 with this text. */
  | { readonly kind: "notok"; readonly text: string };

export interface FakeExplorer extends HttpFake {
  readonly kind: "etherscan" | "blockscout";
  readonly txlist: Map<string, FakeTransaction[]>;
  readonly internal: Map<string, FakeTransaction[]>;
  /** The faults of the next calls, one each; `always` applies to all of them. */
  readonly faults: Fault[];
  always: Fault | null;
  /** Moves blocks before the list's second page is read. */
  reorg: (() => void) | null;
  readonly calls: URLSearchParams[];
}

const API_KEY = "TESTKEY";

export async function startFakeExplorer(
  kind: "etherscan" | "blockscout",
  { recordsMax = 1_000 } = {},
): Promise<FakeExplorer> {
  const server = await startHttpFake(async (request, _body, response) => {
    const query = new URL(request.url ?? "/", "http://fake").searchParams;
    explorer.calls.push(query);
    const fault = explorer.faults.shift() ?? explorer.always;
    if (query.get("page") === "2") explorer.reorg?.();
    if (fault?.kind === "slow") await sleep(fault.ms);
    if (fault?.kind === "hang") return;
    if (fault?.kind === "5xx") return void response.writeHead(503).end("upstream");
    if (fault?.kind === "html") return void response.writeHead(200).end("<html>Hello</html>");
    if (fault?.kind === "redirect") {
      return void response.writeHead(302, { Location: `${server.url}/elsewhere` }).end();
    }
    if (fault?.kind === "429") {
      response.setHeader("Retry-After", "1");
      return sendJson(response, { message: "Too Many Requests" }, 429);
    }
    if (fault?.kind === "notok") return sendJson(response, refuse(fault.text));
    const body = fault?.kind === "empty" ? nothing(query) : answer(query);
    if (fault?.kind === "truncated") {
      const text = JSON.stringify(body);
      response.writeHead(200, { "Content-Length": text.length });
      response.write(text.slice(0, text.length / 2));
      return void response.destroy();
    }
    sendJson(response, body);
  });

  function answer(query: URLSearchParams) {
    if (kind === "etherscan" && query.get("apikey") !== API_KEY) return refuse("Invalid API Key");
    if (kind === "etherscan" && !query.get("chainid")) {
      return refuse("Missing or unsupported chainid parameter (required for v2 api)");
    }
    const page = Number(query.get("page"));
    const offset = Math.min(recordsMax, Number(query.get("offset")));
    if (page * Number(query.get("offset")) > 10_000) {
      return refuse(
        "Result window is too large, PageNo x Offset size must be less than or equal to 10000",
      );
    }
    const address = String(query.get("address")).toLowerCase();
    const isInternal = query.get("action") === "txlistinternal";
    const all = (isInternal ? explorer.internal : explorer.txlist).get(address) ?? [];
    const from = Number(query.get("startblock") ?? 0);
    // Blockscout's answer to an `endblock` is useless.
    const to =
      kind === "blockscout" && query.has("endblock")
        ? -1
        : Number(query.get("endblock") ?? Number.POSITIVE_INFINITY);
    // Without `sort`, Blockscout begins with the newest, Etherscan with the oldest.
    const sort = query.get("sort") ?? (kind === "blockscout" ? "desc" : "asc");
    const isAscending = sort === "asc";
    const list = all
      .filter(({ time, block = time }) => block >= from && block <= to)
      .sort((a, b) => (isAscending ? a.time - b.time : b.time - a.time))
      .slice((page - 1) * offset, page * offset);
    if (list.length === 0) return nothing(query);
    return { status: "1", message: "OK", result: list.map((one) => write(one, isInternal)) };
  }

  function write(
    { hash, from, to, time, block = time, nonce = 0 }: FakeTransaction,
    isInternal: boolean,
  ) {
    const id = hash ?? hashOf(`${from} ${nonce} ${time}`);
    const common = {
      blockNumber: String(block),
      timeStamp: String(time),
      from,
      to: to ?? "",
      value: "0",
    };
    if (!isInternal) return { ...common, hash: id, nonce: String(nonce), isError: "0" };
    return kind === "blockscout" ? { ...common, transactionHash: id } : { ...common, hash: id };
  }

  function nothing(query: URLSearchParams) {
    const isInternal = kind === "blockscout" && query.get("action") === "txlistinternal";
    const message = isInternal ? "No internal transactions found" : "No transactions found";
    return { status: "0", message, result: [] };
  }

  const explorer: FakeExplorer = {
    ...server,
    kind,
    txlist: new Map(),
    internal: new Map(),
    faults: [],
    always: null,
    reorg: null,
    calls: [],
  };
  return explorer;
}

function hashOf(text: string): string {
  return `0x${createHash("sha256").update(text).digest("hex")}`;
}

function refuse(text: string) {
  return { status: "0", message: "NOTOK", result: text };
}
