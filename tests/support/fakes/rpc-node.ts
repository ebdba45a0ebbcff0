import { type HttpFake, sendJson, startHttpFake } from "./http-fake";

// Simulates a JSON-RPC node that knows accounts.

export interface FakeNode extends HttpFake {
  /** Accounts by lowercase address; all others have sent nothing. */
  readonly accounts: Map<string, { nonce: number; code?: string }>;
  mode: "answers" | "fails" | "hangs" | "limits" | "talks";
  /** `method address` of each call. */
  readonly calls: string[];
  /** Runs at each call. */
  onCall: (() => void) | null;
}

export async function startFakeNode(): Promise<FakeNode> {
  const server = await startHttpFake((_request, body, response) => {
    const { id, method, params } = JSON.parse(body);
    const address = String(params[0]).toLowerCase();
    node.calls.push(`${method} ${address}`);
    node.onCall?.();
    if (node.mode === "hangs") return;
    if (node.mode === "fails") return void response.writeHead(502).end("<html>Bad gateway</html>");
    if (node.mode === "talks") return void response.writeHead(200).end("<html>Welcome</html>");
    if (node.mode === "limits") {
      response.setHeader("Retry-After", "1");
      return sendJson(response, { jsonrpc: "2.0", id, error: { code: 429, message: "slow" } }, 429);
    }
    const { nonce = 0, code = "0x" } = node.accounts.get(address) ?? {};
    const result = method === "eth_getCode" ? code : `0x${nonce.toString(16)}`;
    sendJson(response, { jsonrpc: "2.0", id, result });
  });
  const node: FakeNode = {
    ...server,
    accounts: new Map(),
    mode: "answers",
    calls: [],
    onCall: null,
  };
  return node;
}
