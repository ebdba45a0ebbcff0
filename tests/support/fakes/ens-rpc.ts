import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
} from "viem";

// Simulates ENS's universal resolver behind a JSON-RPC endpoint of Ethereum mainnet.

const RESOLVER = "0xeeeeeeee14d718c2b47d9923deab1335e144eeee";
const ABI = parseAbi([
  "function resolveWithGateways(bytes name, bytes data, string[] gateways) view returns (bytes result, address resolver)",
  "function reverseWithGateways(bytes lookupAddress, uint256 coinType, string[] gateways) view returns (string primary, address resolver, address reverseResolver)",
  "error ResolverNotFound(bytes name)",
  "error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData)",
]);

export interface FakeEns {
  readonly url: string;
  /**
   * Addresses by name; `"offchain"` for a name whose records are elsewhere. Other names do not
   * exist.
   */
  readonly names: Map<string, Address | "offchain">;
  /** The names that addresses chose, by lowercase address, whether or not they resolve to them. */
  readonly primaryNames: Map<string, string>;
  /** The outcome of calls: they are answered, fail, or get no answer. */
  mode: "answers" | "fails" | "hangs";
  /** The names and addresses in the calls. */
  readonly calls: string[];
  readonly stop: () => Promise<void>;
}

/** Starts the endpoint on a free port. */
export async function startFakeEns(names: Record<string, Address | "offchain">): Promise<FakeEns> {
  const server = createServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await readText(request));
    const [call] = params ?? [];
    if (method !== "eth_call" || call?.to?.toLowerCase() !== RESOLVER) {
      response.writeHead(400).end();
      return;
    }
    const { functionName, args } = decodeFunctionData({ abi: ABI, data: call.data });
    const isReverse = functionName === "reverseWithGateways";
    const question = isReverse ? args[0] : readDnsName(args[0]);
    fake.calls.push(question);
    if (fake.mode === "hangs") return;
    if (fake.mode === "fails") {
      response.writeHead(500).end("upstream failed");
      return;
    }
    response.writeHead(200, { "Content-Type": "application/json" });
    const isOfEthereum = functionName !== "reverseWithGateways" || args[1] === 60n;
    const answered = isReverse
      ? answerReverse(isOfEthereum ? question : "")
      : answer(question, args[0]);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answered }));
  });

  function answerReverse(address: string) {
    const result = encodeFunctionResult({
      abi: ABI,
      functionName: "reverseWithGateways",
      result: [fake.primaryNames.get(address) ?? "", RESOLVER, RESOLVER],
    });
    return { result };
  }

  function answer(name: string, dnsName: Hex) {
    const known = fake.names.get(name);
    if (known !== undefined && known !== "offchain") {
      const data = encodeAbiParameters([{ type: "address" }], [known]);
      const result = encodeFunctionResult({
        abi: ABI,
        functionName: "resolveWithGateways",
        result: [data, RESOLVER],
      });
      return { result };
    }
    const data =
      known === undefined
        ? encodeErrorResult({ abi: ABI, errorName: "ResolverNotFound", args: [dnsName] })
        : encodeErrorResult({
            abi: ABI,
            errorName: "OffchainLookup",
            args: [RESOLVER, [`${fake.url}/gateway`], "0x", "0x00000000", "0x"],
          });
    return { error: { code: 3, message: "execution reverted", data } };
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeEns = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    names: new Map(Object.entries(names)),
    primaryNames: new Map(),
    mode: "answers",
    calls: [],
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}

/** Reads a name in DNS form: each label follows its length, and an empty one ends the name. */
function readDnsName(hex: Hex): string {
  const bytes = Buffer.from(hex.slice(2), "hex");
  const labels: string[] = [];
  for (let at = 0; bytes[at]; at += 1 + (bytes[at] ?? 0)) {
    labels.push(bytes.subarray(at + 1, at + 1 + (bytes[at] ?? 0)).toString("utf8"));
  }
  return labels.join(".");
}
