import type { campaignAbi } from "./contract";

// The reasons why a campaign's transaction fails, in words for its sender.

type RevertName = Extract<(typeof campaignAbi)[number], { type: "error" }>["name"];

/** The contract's errors in words. */
const REVERTS = {
  AlreadyClaimed: "This was already claimed.",
  Expired: "The deadline has passed.",
  InsufficientFunds: "The bucket holds less than that.",
  InvalidBucket: "A bucket is already on chain, or is empty.",
  InvalidProof: "The contract does not know this share.",
  InvalidTerms: "The terms are invalid: the deadline is not late enough, or there is no admin.",
  NotActive: "The campaign was cancelled.",
  NotAdmin: "Only the campaign's admin can do this. Connect that wallet.",
  NotEnoughGas: "Not enough gas for all payments. Raise the limit, or pay fewer at once.",
  RefUsed: "This wallet already created the campaign. Look up its transaction instead.",
  Reentered: "This token calls back during a transfer and cannot be used.",
  StillClaimable: "It can still be claimed. Wait for the deadline, or cancel the campaign.",
  WrongAmountReceived:
    "The contract would not receive the exact amount. Tokens with a transfer fee cannot be used.",
  TransferFromFailed: "The token refused the payment. Check balance and approval.",
  TransferFailed: "The token refused to pay out.",
  ETHTransferFailed: "The recipient rejected the coin. Choose another address.",
  ZeroAddress: "An address is missing.",
} as const satisfies Record<RevertName, string>;

/** Errors of tokens, by their selectors. */
const SELECTORS: Readonly<Record<string, string>> = {
  // ERC20InsufficientBalance and ERC20InsufficientAllowance of OpenZeppelin's tokens.
  "0xe450d38c": "The wallet does not hold enough of the token.",
  "0xfb8f41b2": "The approval is too small. Approve the token first.",
};

const NAMES: Readonly<Record<string, string>> = {
  UserRejectedRequestError: "You rejected the request. Nothing was sent.",
  InsufficientFundsError: "The wallet does not hold enough for the amount and gas.",
  ConnectorChainMismatchError: "The wallet is on another network. Switch it first.",
  ChainMismatchError: "The wallet is on another network. Switch it first.",
  SwitchChainNotSupportedError: "Switch the network in your wallet.",
  ResourceUnavailableRpcError: "Your wallet has an open request. Answer it there.",
  ProviderNotFoundError: "No wallet was found in this browser.",
  HttpRequestError: "The chain's endpoint does not answer. Try again.",
  TimeoutError: "The chain's endpoint does not answer. Try again.",
};

const CODES: Readonly<Record<number, string>> = {
  4001: NAMES.UserRejectedRequestError ?? "",
  [-32002]: NAMES.ResourceUnavailableRpcError ?? "",
};

interface Layer {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly message?: unknown;
  readonly shortMessage?: unknown;
  readonly signature?: unknown;
  readonly reason?: unknown;
  readonly data?: { readonly errorName?: unknown };
}

const LAYERS_MAX = 10;

/**
 * Describes why a simulation or a transaction failed.
 * @param error as viem or wagmi threw it: the cause lies some layers down
 */
export function describeChainError(error: unknown): string {
  const layers = listLayers(error);
  for (const { name, code, signature, data } of layers) {
    const errorName = data?.errorName;
    if (typeof errorName === "string" && isRevertName(errorName)) return REVERTS[errorName];
    if (typeof signature === "string" && SELECTORS[signature]) return SELECTORS[signature];
    if (typeof code === "number" && CODES[code]) return CODES[code];
    if (typeof name === "string" && NAMES[name]) return NAMES[name];
  }
  const texts = layers.map(({ message }) => String(message));
  const isShortOfGas = texts.some((text) => /insufficient funds/i.test(text));
  if (isShortOfGas) return NAMES.InsufficientFundsError ?? "";
  // The words of Safe's web app.
  if (texts.some((text) => /\bwas rejected\b/i.test(text))) {
    return NAMES.UserRejectedRequestError ?? "";
  }
  const reason = layers.find((layer) => typeof layer.reason === "string")?.reason;
  if (reason) return `The contract would reject it: ${reason}.`;
  const { shortMessage, message } = layers[0] ?? {};
  return `The transaction failed: ${String(shortMessage ?? message ?? "no reason was given").slice(0, 200)}`;
}

/** Checks whether the user rejected the request in the wallet. */
export function isRejection(error: unknown): boolean {
  return describeChainError(error) === NAMES.UserRejectedRequestError;
}

function listLayers(error: unknown): Layer[] {
  const layers: Layer[] = [];
  let layer = error;
  while (typeof layer === "object" && layer !== null && layers.length < LAYERS_MAX) {
    layers.push(layer as Layer);
    layer = (layer as Layer).cause;
  }
  return layers;
}

function isRevertName(name: string): name is RevertName {
  return Object.hasOwn(REVERTS, name);
}
