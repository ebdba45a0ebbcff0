import { BaseError, decodeAbiParameters, ExecutionRevertedError, type Hex, size, trim } from "viem";
import type { Address } from "../../domain/address";
import { TOKEN_SYMBOL_LENGTH_MAX } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { getChainClient } from "../rpc/chains";

/** What an ERC-20 token says of itself: names are anybody's choice, and say nothing of worth. */
export interface TokenDetails {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

const DEADLINE_MS = 5_000;
const NAME_LENGTH_MAX = 100;
/** An answer that is longer is no name. */
const ANSWER_BYTES_MAX = 4_096;
const SELECTORS = { name: "0x06fdde03", symbol: "0x95d89b41", decimals: "0x313ce567" } as const;

/**
 * Reads what a token says of itself.
 * @throws {Failure} `chain_not_configured`; `token_unreadable` when no token is there;
 *   `chain_unavailable` when the endpoint gives no answer within 5 s
 */
export async function readToken(chainId: number, address: Address): Promise<TokenDetails> {
  const client = getChainClient(chainId);
  const read = async (what: keyof typeof SELECTORS): Promise<Hex> => {
    try {
      const { data } = await client.call({ to: address, data: SELECTORS[what] });
      return data ?? "0x";
    } catch (error) {
      if (isRevert(error)) return "0x";
      throw error;
    }
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    const answers = await Promise.race([
      Promise.all([read("name"), read("symbol"), read("decimals")]),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error("No answer in time")), DEADLINE_MS);
      }),
    ]);
    const [name, symbol, decimals] = answers;
    return toDetails(name, symbol, decimals);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw new Failure("chain_unavailable", { cause });
  } finally {
    clearTimeout(timer);
  }
}

function toDetails(nameAnswer: Hex, symbolAnswer: Hex, decimalsAnswer: Hex): TokenDetails {
  const symbol = readText(symbolAnswer, TOKEN_SYMBOL_LENGTH_MAX);
  // The standard makes both optional; a campaign cannot do without them.
  if (symbol === "" || size(decimalsAnswer) !== 32) throw new Failure("token_unreadable");
  const decimals = BigInt(decimalsAnswer);
  if (decimals > 255n) throw new Failure("token_unreadable");
  return {
    name: readText(nameAnswer, NAME_LENGTH_MAX),
    symbol,
    decimals: Number(decimals),
  };
}

/** Reads a `string`, or the `bytes32` that some old tokens answer. Empty when it is neither. */
function readText(answer: Hex, lengthMax: number): string {
  if (size(answer) > ANSWER_BYTES_MAX) return "";
  let text: string;
  try {
    text =
      size(answer) === 32
        ? Buffer.from(trim(answer, { dir: "right" }).slice(2), "hex").toString("utf8")
        : decodeAbiParameters([{ type: "string" }], answer)[0];
  } catch {
    return "";
  }
  // Control, formatting and unassigned characters can hide text or turn it round.
  const shown = text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, "").trim();
  return Array.from(shown).slice(0, lengthMax).join("");
}

function isRevert(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
  );
}
