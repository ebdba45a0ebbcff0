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
import { getChainClient, listConfiguredChainIds } from "../../chain/rpc/chains";
import { withDatabase } from "../../db/client";
import { giftCardNonces, giftCards } from "../../db/schema/gift-cards";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { REVEAL_MINUTES } from "../../domain/gift-cards/gift-card";
import { isRewardChainId, type RewardChainId } from "../../domain/rewards/reward-chain";
import { type RevealRequest, revealGiftCard } from "./reveal";

// Sign-In with Ethereum (EIP-4361) for one gift card. The text that the wallet signs is written here
// and made here again to check it: domain, URI, scheme, chain, nonce, times, address and card are
// right or the signature is of another text.

const ERC1271_ABI = parseAbi(["function isValidSignature(bytes32, bytes) view returns (bytes4)"]);
const ERC1271_YES = "0x1626ba7e";
const NONCE_BYTES = 16;
const REMOVED_ROWS_MAX = 5_000;
const DEFAULT_CHAIN_ID: RewardChainId = 8453;

/** Whose wallet is to sign, for which card. */
interface Holding {
  readonly pointSystemId: string;
  readonly cardId: string;
  readonly address: Address;
}

/** What the message says beside the holding. */
interface Terms extends Holding {
  readonly nonce: string;
  readonly chainId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/**
 * Writes what a holder signs to be shown a card's code. It can be used once, within five minutes, for
 * this card and address.
 * @param chainId where the wallet is; a contract's signature is checked there
 * @param origin of this service, as configured
 * @throws {Failure} `not_found` also when the card is somebody else's
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
 * Shows a gift card's code to the wallet that signed for it. The nonce is used up whatever comes of it.
 * @param origin of this service, as configured
 * @throws {Failure} `wallet_signature_refused`, and those of `revealGiftCard`
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
  if (!(await isSigned(asked.chainId, { address, message, signature }))) {
    throw new Failure("wallet_signature_refused");
  }
  return revealGiftCard(request);
}

/** What is signed: the same text whenever the terms are the same. */
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

/** A key's signature is checked by itself; a contract is asked, on the chain where it was signed (ERC-1271). */
async function isSigned(
  chainId: number,
  signed: { address: Address; message: string; signature: Hex },
): Promise<boolean> {
  if (await verifyMessage(signed).catch(() => false)) return true;
  if (!listConfiguredChainIds().some((id) => id === chainId)) return false;
  const { address, message } = signed;
  // A wallet that is not deployed yet wraps its signature (ERC-6492). This one has to be.
  const { signature } = parseErc6492Signature(signed.signature);
  try {
    const answer = await getChainClient(chainId).readContract({
      address,
      abi: ERC1271_ABI,
      functionName: "isValidSignature",
      // Empty for what a Safe has signed on chain.
      args: [hashMessage(message), signature],
    });
    return answer === ERC1271_YES;
  } catch (error) {
    if (isRefusal(error)) return false;
    throw new Failure("chain_unavailable", { cause: error });
  }
}

/** Whether a contract did not confirm a signature, or there is none: the chain did answer. */
function isRefusal(error: unknown): boolean {
  const isOne = (layer: unknown) =>
    layer instanceof ContractFunctionRevertedError ||
    layer instanceof ContractFunctionZeroDataError ||
    layer instanceof AbiDecodingDataSizeTooSmallError;
  return error instanceof BaseError && error.walk(isOne) !== null;
}

/**
 * Removes nonces that can be used no more.
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
