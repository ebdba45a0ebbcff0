import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashMessage,
  keccak256,
  toHex,
} from "viem";
import type { Address } from "../../../app/domain/address";
import type { getTestAccount, startAnvil } from "../chain/anvil";
import { testWalletAbi } from "../chain/test-wallet";

// Simulates Safe's web app, as an app in its frame sees it: another origin, which answers the
// messages of Safe's SDK in their real form. The Safe itself is a contract on anvil, whose owner
// executes its transactions.

/** The value in Safe's web app. */
const SANDBOX =
  "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads allow-orientation-lock";

const SCRIPT = `
  const frame = document.querySelector("iframe");
  window.addEventListener("message", async ({ source, data, origin }) => {
    if (source !== frame.contentWindow || !window.askSafe) return;
    const { id, method, params, env } = data;
    const answer = await window.askSafe({ method, params, origin });
    source.postMessage({ id, version: env.sdkVersion, ...answer }, "*");
  });
  frame.src = new URLSearchParams(location.search).get("appUrl");`;

export interface SafeSite {
  readonly origin: string;
  /** Returns the address of Safe's page with an app in its frame. */
  readonly urlOf: (appUrl: string) => string;
  readonly stop: () => void;
}

/** Serves the page around the frame, at an origin that is a different site from 127.0.0.1. */
export async function startSafeSite(): Promise<SafeSite> {
  const site = http.createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    response.end(
      `<!doctype html><html lang="en"><title>Safe</title>
       <main>
         <h1>Safe</h1>
         <iframe title="App" sandbox="${SANDBOX}" width="700" height="1000"></iframe>
       </main>
       <script>${SCRIPT}</script></html>`,
    );
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const origin = `http://localhost:${(site.address() as AddressInfo).port}`;
  return {
    origin,
    urlOf: (appUrl) => `${origin}/apps/open?appUrl=${encodeURIComponent(appUrl)}`,
    stop: () => site.close(),
  };
}

interface Call {
  readonly to: Hex;
  readonly data: Hex;
}

interface SafeTransaction extends Call {
  status: "AWAITING_CONFIRMATIONS" | "AWAITING_EXECUTION" | "SUCCESS" | "CANCELLED";
  hash: Hex | null;
}

export interface FakeSafe {
  /** Rejects transactions, as an owner would. */
  rejects: boolean;
  /** The way in which a text is signed: by the first owner, later by another one, or on chain. */
  signs: "at-once" | "later" | "on-chain";
  /** The origins that send messages from the frame. */
  readonly origins: Set<string>;
  readonly methods: string[];
  /** Transactions by the hash that the Safe uses. */
  readonly transactions: Map<Hex, SafeTransaction>;
  /** Signs the last transaction and waiting texts as the other owner. */
  readonly confirm: () => Promise<void>;
  /** Executes the last transaction as an owner. */
  readonly execute: () => Promise<Hex>;
  /** Replaces the last transaction by another one. */
  readonly cancel: () => void;
}

/** Puts a Safe of two owners into Safe's page: a contract, for which `owner` acts on chain. */
export async function joinSafe(
  page: Page,
  options: {
    anvil: Awaited<ReturnType<typeof startAnvil>>;
    address: Address;
    owner: ReturnType<typeof getTestAccount>;
    chainId?: number;
  },
): Promise<FakeSafe> {
  const { anvil, address, owner, chainId = anvil.chain.id } = options;
  const texts = new Map<Hex, { text: string; signature: Hex | "" }>();
  const safe: FakeSafe = {
    rejects: false,
    signs: "at-once",
    origins: new Set(),
    methods: [],
    transactions: new Map(),
    async confirm() {
      for (const waiting of texts.values()) {
        waiting.signature = await owner.signMessage({ message: waiting.text });
      }
      const last = findLast();
      if (last) last.status = "AWAITING_EXECUTION";
    },
    async execute() {
      const last = findLast();
      if (!last) throw new Error("There is nothing to execute");
      const args = [last.to, last.data] as const;
      const data = encodeFunctionData({ abi: testWalletAbi, functionName: "execute", args });
      const { transactionHash } = await anvil.send(owner, { to: address, data });
      Object.assign(last, { status: "SUCCESS", hash: transactionHash });
      return transactionHash;
    },
    cancel() {
      const last = findLast();
      if (last) last.status = "CANCELLED";
    },
  };
  const findLast = () => [...safe.transactions.values()].at(-1);

  const propose = (call: Call): { safeTxHash: Hex } => {
    if (safe.rejects) throw new Error("Transaction was rejected");
    const nonce = BigInt(safe.transactions.size);
    const safeTxHash = keccak256(
      encodeAbiParameters(
        [{ type: "address" }, { type: "bytes" }, { type: "uint256" }],
        [call.to, call.data, nonce],
      ),
    );
    safe.transactions.set(safeTxHash, { ...call, status: "AWAITING_CONFIRMATIONS", hash: null });
    return { safeTxHash };
  };

  const sign = async (text: string) => {
    if (safe.signs === "on-chain") {
      const args = [hashMessage(text)] as const;
      const data = encodeFunctionData({ abi: testWalletAbi, functionName: "sign", args });
      const { transactionHash } = await anvil.send(owner, { to: address, data });
      const proposed = propose({ to: address, data });
      const transaction = findLast();
      Object.assign(transaction ?? {}, { status: "SUCCESS", hash: transactionHash });
      return proposed;
    }
    const messageHash = hashMessage(text);
    const isNow = safe.signs === "at-once";
    const signature = isNow ? await owner.signMessage({ message: text }) : "";
    texts.set(messageHash, { text, signature });
    return isNow ? { messageHash, signature } : { messageHash };
  };

  const tell = (safeTxHash: Hex) => {
    const found = safe.transactions.get(safeTxHash);
    if (!found) throw new Error("Not found");
    const signers = found.status === "AWAITING_CONFIRMATIONS" ? 1 : 2;
    return {
      txId: `multisig_${address}_${safeTxHash}`,
      txStatus: found.status,
      txHash: found.hash,
      detailedExecutionInfo: {
        type: "MULTISIG",
        safeTxHash,
        confirmationsRequired: 2,
        confirmations: Array.from({ length: signers }, (_, i) => ({
          signer: { value: toHex(i + 1, { size: 20 }) },
        })),
      },
    };
  };

  // biome-ignore lint/suspicious/noExplicitAny: the messages of another program
  const answer = async (method: string, params: any): Promise<unknown> => {
    switch (method) {
      case "getSafeInfo":
        return { safeAddress: address, chainId, threshold: 2, owners: [], isReadOnly: false };
      case "rpcCall":
        return anvil.client.request({ method: params.call, params: params.params } as never);
      case "sendTransactions":
        return propose(params.txs[0]);
      case "getTxBySafeTxHash":
        return tell(params.safeTxHash);
      case "signMessage":
        return sign(params.message);
      case "getOffChainSignature":
        return texts.get(params)?.signature ?? "";
      default:
        throw new Error(`${method} is not implemented`);
    }
  };
  await page.exposeFunction(
    "askSafe",
    async (message: { method: string; params: unknown; origin: string }) => {
      safe.methods.push(message.method);
      safe.origins.add(message.origin);
      try {
        return { success: true, data: await answer(message.method, message.params) };
      } catch (error) {
        return { success: false, error: (error as Error).message };
      }
    },
  );
  return safe;
}
