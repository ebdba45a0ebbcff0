import type { Page } from "@playwright/test";
import { createPublicClient, createWalletClient, type Hex, http, numberToHex } from "viem";
import type { getTestAccount, startAnvil } from "../chain/anvil";

export interface WalletOptions {
  readonly anvil: Awaited<ReturnType<typeof startAnvil>>;
  readonly account: ReturnType<typeof getTestAccount>;
  /** Offers only `window.ethereum`, without EIP-6963. */
  readonly isLegacy?: boolean;
  /** The network that the wallet is on at first. */
  readonly startChainId?: number;
  /** Takes a transaction differently, like a wallet whose owners sign later. */
  readonly take?: (call: { to: Hex; data: Hex }) => Promise<Hex>;
  /** Has a paymaster pay the gas of `wallet_sendCalls` (EIP-5792). */
  readonly isSponsored?: boolean;
  /** The page must add the chain before the wallet can switch to it. */
  readonly isChainUnknown?: boolean;
}

interface Request {
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** The behaviour of a wallet in a page, which a test can change at any time. */
export interface InjectedWallet {
  /** Rejects every transaction and token, as a person would. */
  rejects: boolean;
  /** Sends each transaction again with a higher fee, before the first is mined. */
  speedsUp: boolean;
  /** Replaces each transaction by a transfer to the wallet itself. */
  cancels: boolean;
  account: WalletOptions["account"];
  /** The bundles of `wallet_sendCalls`. */
  readonly bundles: { capabilities?: { paymasterService?: { url?: string } } }[];
  readonly methods: string[];
  readonly sent: Hex[];
}

const RUNS_ONCE = "__wallet_request";

/**
 * Injects a wallet that really signs into a page: announced by EIP-6963 and as `window.ethereum`.
 * Its key stays in this process.
 */
export async function injectWallet(page: Page, options: WalletOptions): Promise<InjectedWallet> {
  const { anvil, isLegacy = false, startChainId = anvil.chain.id } = options;
  const wallet: InjectedWallet = {
    rejects: false,
    speedsUp: false,
    cancels: false,
    account: options.account,
    bundles: [],
    methods: [],
    sent: [],
  };
  const reader = createPublicClient({ chain: anvil.chain, transport: http(anvil.rpcUrl) });
  let chainId = startChainId;
  let knowsChain = !options.isChainUnknown;
  // A wallet remembers its permissions; a page that is loaded again does not.
  let isConnected = false;

  const send = async (transaction: { to: Hex; data?: Hex; value?: Hex; gas?: Hex }) => {
    if (wallet.rejects) throw { code: 4001, message: "User rejected the request." };
    if (chainId !== anvil.chain.id) throw { code: 4901, message: "Another chain" };
    const { account } = wallet;
    const signer = createWalletClient({
      account,
      chain: anvil.chain,
      transport: http(anvil.rpcUrl),
    });
    const request = {
      to: transaction.to,
      ...(transaction.data && { data: transaction.data }),
      value: BigInt(transaction.value ?? 0),
      ...(transaction.gas && { gas: BigInt(transaction.gas) }),
    };
    if (!wallet.speedsUp && !wallet.cancels) {
      const hash = await signer.sendTransaction(request);
      wallet.sent.push(hash);
      return hash;
    }
    const nonce = await reader.getTransactionCount({ address: account.address });
    const fees = await reader.estimateFeesPerGas();
    const raised = {
      nonce,
      maxFeePerGas: fees.maxFeePerGas * 3n,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 3n,
      // After the first transaction, an estimate would fail, since that one claims already.
      gas: 5_000_000n,
    };
    await anvil.client.setAutomine(false);
    const hash = await signer.sendTransaction({ ...request, nonce });
    // The page has to see the first transaction before it is replaced.
    setTimeout(async () => {
      const replacement = wallet.cancels ? { to: account.address, value: 0n } : request;
      wallet.sent.push(await signer.sendTransaction({ ...replacement, ...raised }));
      await anvil.client.mine({ blocks: 1 });
      await anvil.client.setAutomine(true);
    }, 3_000);
    return hash;
  };

  type Bundle = InjectedWallet["bundles"][number] & {
    calls: { to: Hex; data?: Hex; value?: Hex }[];
  };
  /** Sends a bundle of one call. The paymaster's payment is the balance that comes and goes. */
  const sendSponsored = async (bundle: Bundle): Promise<string> => {
    wallet.bundles.push(bundle);
    const [call] = bundle.calls;
    const { address } = wallet.account;
    if (!call) throw { code: -32602, message: "No call" };
    const before = await reader.getBalance({ address });
    await anvil.client.setBalance({ address, value: 10n ** 18n });
    const hash = await send(call);
    await reader.waitForTransactionReceipt({ hash });
    await anvil.client.setBalance({ address, value: before });
    return `bundle-of-${hash}`;
  };
  const describeCalls = async (id: string) => {
    const hash = id.replace("bundle-of-", "") as Hex;
    const receipt = await reader.request({ method: "eth_getTransactionReceipt", params: [hash] });
    const base = { version: "2.0.0", id, chainId: numberToHex(anvil.chain.id), atomic: true };
    return { ...base, status: receipt ? 200 : 100, receipts: receipt ? [receipt] : [] };
  };

  const answer = async ({ method, params = [] }: Request): Promise<unknown> => {
    // `wallet_watchAsset` passes an object.
    const [first] = (Array.isArray(params) ? params : []) as { chainId?: string }[];
    switch (method) {
      case "eth_requestAccounts":
        isConnected = true;
        return [wallet.account.address];
      case "eth_accounts":
        return isConnected ? [wallet.account.address] : [];
      case "eth_chainId":
        return numberToHex(chainId);
      case "wallet_requestPermissions":
        isConnected = true;
        return [{ parentCapability: "eth_accounts" }];
      case "wallet_revokePermissions":
        isConnected = false;
        return null;
      case "wallet_addEthereumChain":
        knowsChain = true;
        chainId = Number(first?.chainId);
        return null;
      case "wallet_switchEthereumChain":
        if (!knowsChain) throw { code: 4902, message: "Unrecognized chain ID" };
        chainId = Number(first?.chainId);
        return null;
      case "wallet_watchAsset":
        if (wallet.rejects) throw { code: 4001, message: "User rejected the request." };
        return true;
      case "wallet_getCapabilities":
        if (!options.isSponsored) throw { code: 4200, message: "Unsupported method" };
        return { [numberToHex(anvil.chain.id)]: { paymasterService: { supported: true } } };
      case "wallet_sendCalls":
        return { id: await sendSponsored(params[0] as Bundle) };
      case "wallet_getCallsStatus":
        return describeCalls(params[0] as unknown as string);
      case "eth_sendTransaction":
        if (options.take) return options.take(params[0] as { to: Hex; data: Hex });
        return send(params[0] as Parameters<typeof send>[0]);
      default:
        return reader.request({ method, params } as never);
    }
  };

  await page.exposeFunction(RUNS_ONCE, async (request: Request) => {
    wallet.methods.push(request.method);
    const before = chainId;
    try {
      const result = await answer(request);
      return { result, ...(chainId !== before && { chainId: numberToHex(chainId) }) };
    } catch (error) {
      const { code = -32603, message = "Failed", data } = error as Record<string, unknown>;
      return { error: { code, message, data } };
    }
  });
  await page.addInitScript(installProvider, { isLegacy, name: RUNS_ONCE });
  return wallet;
}

/** Installs the provider; it runs in the page. */
function installProvider({ isLegacy, name }: { isLegacy: boolean; name: string }): void {
  type Listener = (value: unknown) => void;
  const listeners: Record<string, Set<Listener>> = {};
  const provider = {
    async request(request: object) {
      const ask = (window as unknown as Record<string, (request: object) => Promise<never>>)[name];
      const reply: { result?: unknown; error?: { message: string }; chainId?: string } =
        (await ask?.(request)) ?? {};
      if (reply.chainId) for (const tell of listeners.chainChanged ?? []) tell(reply.chainId);
      if (reply.error) throw Object.assign(new Error(reply.error.message), reply.error);
      return reply.result;
    },
    on(event: string, listener: Listener) {
      listeners[event] ??= new Set();
      listeners[event].add(listener);
      return provider;
    },
    removeListener(event: string, listener: Listener) {
      listeners[event]?.delete(listener);
      return provider;
    },
  };
  Object.assign(window, { ethereum: provider });
  if (isLegacy) return;
  const detail = Object.freeze({
    info: Object.freeze({
      uuid: "350670db-19fa-4704-a166-e52e178b59d2",
      name: "Test Wallet",
      icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>",
      rdns: "test.wallet",
    }),
    provider,
  });
  const announce = () =>
    window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
}
