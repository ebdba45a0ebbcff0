import { createHash, randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import {
  AbiDecodingDataSizeTooSmallError,
  BaseError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  getAddress,
  type Hex,
  hashMessage,
  parseAbi,
  parseErc6492Signature,
  verifyMessage,
} from "viem";
import { createSiweMessage } from "viem/siwe";
import { getChainClient } from "../../chain/rpc/chains";
import { withDatabase } from "../../db/client";
import { giftCardNonces, giftCards } from "../../db/schema/gift-cards";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { REVEAL_MINUTES } from "../../domain/gift-cards/gift-card";
import { isRewardChainId, type RewardChainId } from "../../domain/rewards/reward-chain";
import { createLimiter } from "../runtime/limiter";
import { findContractWalletChain } from "./contract-wallets";
import { type RevealRequest, revealGiftCard } from "./reveal";

// Sign-In with Ethereum (EIP-4361) for one gift card. The text that the wallet signs is written
// here, and written again to check the signature. A signature over a text with another domain, URI,
// scheme, chain, nonce, time, address or card does not verify.

const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32, bytes) view returns (bytes4)"]);
const ERC1271_YES = "0x1626ba7e";
const NONCE_BYTES = 16;
const REMOVED_ROWS_MAX = 5_000;
/** Limits the calls to chains that strangers order by revealing. */
const limitCalls = createLimiter({ atOnceMax: 8, waitingMax: 64, waitMs: 4_000 });
const DEFAULT_CHAIN_ID: RewardChainId = 8453;

/** The wallet that is to sign, and the card for which it signs. */
interface Holding {
  readonly pointSystemId: string;
  readonly cardId: string;
  readonly address: Address;
}

/** The terms of the message: the holding, the nonce, the chain and the times. */
interface Terms extends Holding {
  readonly nonce: string;
  readonly chainId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Writes the message that a holder signs to reveal a card's code. It can be used once, within five
 * minutes, for this card and address.
 * @param chainId the wallet's chain; a contract's signature counts on one chain only
 * @param origin the origin of this service, as configured
 * @throws {Failure} `not_found`, also when the card belongs to another wallet
 */
export async function askForSignature(
  { chainId: walletChainId, ...holding }: Holding & { readonly chainId: number },
  origin: string,
): Promise<{ nonce: string; message: string }> {
  const { pointSystemId, cardId, address } = holding;
  const chainId = isRewardChainId(walletChainId) ? walletChainId : DEFAULT_CHAIN_ID;
  const nonce = randomBytes(NONCE_BYTES).toString("hex");
  const times = await withDatabase(async (db) => {
    const [card] = await db
      .select({ id: giftCards.id })
      .from(giftCards)
      .where(
        and(
          eq(giftCards.pointSystemId, pointSystemId),
          eq(giftCards.id, cardId),
          eq(giftCards.address, address),
        ),
      );
    if (!card) throw new Failure("not_found");
    const [row] = await db
      .insert(giftCardNonces)
      .values({
        ...holding,
        chainId,
        nonceHash: hashNonce(nonce),
        issuedAt: sql`now()`,
        expiresAt: sql`now() + make_interval(mins => ${REVEAL_MINUTES})`,
      })
      .returning({ issuedAt: giftCardNonces.issuedAt, expiresAt: giftCardNonces.expiresAt });
    return row;
  });
  if (!times) throw new Error("The nonce was not stored");
  return { nonce, message: writeMessage({ ...holding, chainId, nonce, ...times }, origin) };
}

/**
 * Reveals a gift card's code to the wallet that signed for it. The nonce is used up in any case.
 * @param origin the origin of this service, as configured
 * @throws {Failure} `wallet_signature_refused`, and the failures of `revealGiftCard`
 */
export async function revealSignedGiftCard(
  { nonce, signature, ...request }: RevealRequest & { nonce: string; signature: Hex },
  origin: string,
): Promise<{ code: string; claimedAt: Date }> {
  const { pointSystemId, cardId, address } = request;
  const [asked] = await withDatabase((db) =>
    db
      .delete(giftCardNonces)
      .where(
        and(
          eq(giftCardNonces.pointSystemId, pointSystemId),
          eq(giftCardNonces.nonceHash, hashNonce(nonce)),
        ),
      )
      .returning({
        cardId: giftCardNonces.cardId,
        address: giftCardNonces.address,
        chainId: giftCardNonces.chainId,
        issuedAt: giftCardNonces.issuedAt,
        expiresAt: giftCardNonces.expiresAt,
        isOver: sql<boolean>`${giftCardNonces.expiresAt} <= now()`,
      }),
  );
  const isAsked = asked && asked.cardId === cardId && asked.address === address && !asked.isOver;
  if (!isAsked) throw new Failure("wallet_signature_refused");
  const message = writeMessage({ ...asked, pointSystemId, nonce }, origin);
  const signed = { address, message, signature };
  const isOwn =
    (await verifyMessage(signed).catch(() => false)) ||
    (asked.chainId === (await findContractWalletChain(pointSystemId)) &&
      (await isSignedByContract(asked.chainId, signed)));
  if (!isOwn) throw new Failure("wallet_signature_refused");
  return revealGiftCard(request);
}

/** Writes the text to sign: the same terms always give the same text. */
function writeMessage(terms: Terms, origin: string): string {
  const { protocol, host } = new URL(origin);
  return createSiweMessage({
    version: "1",
    scheme: protocol.slice(0, -1),
    domain: host,
    uri: `${origin}/claim/${terms.pointSystemId}`,
    address: getAddress(terms.address),
    chainId: terms.chainId,
    nonce: terms.nonce,
    statement: "Show me the code of my gift card. This costs nothing and moves nothing.",
    issuedAt: terms.issuedAt,
    expirationTime: terms.expiresAt,
    resources: [`urn:uuid:${terms.cardId}`],
  });
}

/** Calls a contract wallet on a chain, to check its signature (ERC-1271). */
async function isSignedByContract(
  chainId: number,
  signed: { address: Address; message: string; signature: Hex },
): Promise<boolean> {
  const { address, message } = signed;
  // A wallet that is not deployed yet wraps its signature (ERC-6492). Here the wallet must be
  // deployed, so the signature inside is checked.
  const { signature } = parseErc6492Signature(signed.signature);
  try {
    const answer = await limitCalls(() =>
      getChainClient(chainId).readContract({
        address,
        abi: ERC1271_ABI,
        functionName: "isValidSignature",
        // The signature is empty for a message that a Safe has signed on chain.
        args: [hashMessage(message), signature],
      }),
    );
    return answer === ERC1271_YES;
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (isRefusal(error)) return false;
    throw new Failure("chain_unavailable", { cause: error });
  }
}

/**
 * Checks whether the error means that the chain answered: the contract did not confirm the
 * signature, or there is no contract.
 */
function isRefusal(error: unknown): boolean {
  const isOne = (layer: unknown) =>
    layer instanceof ContractFunctionRevertedError ||
    layer instanceof ContractFunctionZeroDataError ||
    layer instanceof AbiDecodingDataSizeTooSmallError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}

/**
 * Removes expired nonces.
 * @returns whether there are more
 */
export async function removeOldNonces(): Promise<boolean> {
  const removed = await withDatabase((db) =>
    db.execute(sql`
      delete from ${giftCardNonces} where ctid = any(array(
        select ctid from ${giftCardNonces} where expires_at <= now()
        order by expires_at limit ${REMOVED_ROWS_MAX} for update skip locked
      ))`),
  );
  return removed.count === REMOVED_ROWS_MAX;
}

function hashNonce(nonce: string): Buffer {
  return createHash("sha256").update(nonce).digest();
}
