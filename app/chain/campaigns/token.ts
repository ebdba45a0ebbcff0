import { BaseError, decodeAbiParameters, ExecutionRevertedError, type Hex, size, trim } from "viem";
import type { Address } from "../../domain/address";
import { TOKEN_SYMBOL_LENGTH_MAX } from "../../domain/campaigns/campaign";
import { Failure } from "../../domain/failure";
import { askChain } from "./events";

/**
 * The details that an ERC-20 token reports about itself. Anyone can choose any name: a name proves
 * nothing about the token's value.
 */
export interface TokenDetails {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
}

const NAME_LENGTH_MAX = 100;
/** A longer answer is not accepted as a name. */
const ANSWER_BYTES_MAX = 4_096;
const SELECTORS = { name: "0x06fdde03", symbol: "0x95d89b41", decimals: "0x313ce567" } as const;

/**
 * Reads the details of a token.
 * @throws {Failure} `chain_not_configured`; `token_unreadable` when the address holds no token;
 *   `chain_unavailable` when no endpoint answers
 */
export async function readToken(chainId: number, address: Address): Promise<TokenDetails> {
  const [name, symbol, decimals] = await askChain(chainId, (client) => {
    const read = async (what: keyof typeof SELECTORS): Promise<Hex> => {
      try {
        const { data } = await client.call({ to: address, data: SELECTORS[what] });
        return data ?? "0x";
      } catch (error) {
        if (isRevert(error)) return "0x";
        throw error;
      }
    };
    return Promise.all([read("name"), read("symbol"), read("decimals")]);
  });
  return toDetails(name, symbol, decimals);
}

function toDetails(nameAnswer: Hex, symbolAnswer: Hex, decimalsAnswer: Hex): TokenDetails {
  const symbol = readText(symbolAnswer, TOKEN_SYMBOL_LENGTH_MAX);
  // The standard makes symbol and decimals optional; a campaign needs both.
  if (symbol === "" || size(decimalsAnswer) !== 32) throw new Failure("token_unreadable");
  const decimals = BigInt(decimalsAnswer);
  if (decimals > 255n) throw new Failure("token_unreadable");
  return {
    name: readText(nameAnswer, NAME_LENGTH_MAX),
    symbol,
    decimals: Number(decimals),
  };
}

/**
 * Reads a `string`, or the `bytes32` that some old tokens return. Returns an empty text for
 * anything else.
 */
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
  // Control, formatting and unassigned characters can hide text or reverse its direction.
  const shown = text.replace(/[\p{C}\p{Zl}\p{Zp}\uFFFD]/gu, "").trim();
  return Array.from(shown).slice(0, lengthMax).join("");
}

function isRevert(error: unknown): boolean {
  return (
    error instanceof BaseError &&
    error.walk((cause) => cause instanceof ExecutionRevertedError) !== null
  );
}
