import { createHash, randomBytes } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import { getAddress, type Hex } from "viem";
import { withDatabase } from "../../db/client";
import { walletNonces } from "../../db/schema/wallet-links";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { isRewardChainId } from "../../domain/rewards/reward-chain";
import { removeExpired } from "../runtime/remove-old-rows";
import { DEFAULT_CHAIN_ID, isSignedByWallet } from "./wallet-signature";

// Sign-In with Ethereum (https://eips.ethereum.org/EIPS/eip-4361) for one purpose. The text that a wallet signs is
// written here, and written again to check the signature. A signature over a text with another domain, URI, scheme,
// chain, nonce, time, address or resource does not verify.

const NONCE_BYTES = 16;

/** A signature that a wallet is asked for. */
export interface SigningRequest {
  readonly pointSystemId: string;
  readonly address: Address;
  /** The purpose of the signature with its subject: a nonce of one purpose is refused for another. */
  readonly purpose: string;
}

/** The terms of a message: the request, the nonce, the chain and the times. */
export interface SigningTerms extends SigningRequest {
  readonly nonce: string;
  readonly chainId: number;
  readonly issuedAt: Date;
  readonly expiresAt: Date;
}

/** The parts of a message that its purpose decides. */
interface MessageParts {
  /** The origin of this service, as configured. */
  readonly origin: string;
  readonly statement: string;
  /** The UUID of what the message is about. */
  readonly resourceId: string;
}

/**
 * Issues the nonce of a message.
 * @param chainId the wallet's chain; a contract's signature counts on one chain only
 * @param minutes the time within which the wallet has to sign
 */
export async function issueNonce(
  { pointSystemId, address, purpose }: SigningRequest,
  walletChainId: number,
  minutes: number,
): Promise<SigningTerms> {
  const chainId = isRewardChainId(walletChainId) ? walletChainId : DEFAULT_CHAIN_ID;
  const nonce = randomBytes(NONCE_BYTES).toString("hex");
  const [times] = await withDatabase((db) =>
    db
      .insert(walletNonces)
      .values({
        ...{ pointSystemId, address, purpose, chainId },
        nonceHash: hashNonce(nonce),
        issuedAt: sql`now()`,
        expiresAt: sql`now() + make_interval(mins => ${minutes})`,
      })
      .returning({ issuedAt: walletNonces.issuedAt, expiresAt: walletNonces.expiresAt }),
  );
  if (!times) throw new Error("The nonce was not stored");
  return { pointSystemId, address, purpose, chainId, nonce, ...times };
}

/**
 * Uses a nonce up, in any case.
 * @returns the terms of its message
 * @throws {Failure} `wallet_signature_refused` unless it was issued for this request and is not over
 */
export async function takeNonce(request: SigningRequest, nonce: string): Promise<SigningTerms> {
  const { pointSystemId, address, purpose } = request;
  const [issued] = await withDatabase((db) =>
    db
      .delete(walletNonces)
      .where(
        and(
          eq(walletNonces.pointSystemId, pointSystemId),
          eq(walletNonces.nonceHash, hashNonce(nonce)),
        ),
      )
      .returning({
        address: walletNonces.address,
        purpose: walletNonces.purpose,
        chainId: walletNonces.chainId,
        issuedAt: walletNonces.issuedAt,
        expiresAt: walletNonces.expiresAt,
        isOver: sql<boolean>`${walletNonces.expiresAt} <= now()`,
      }),
  );
  const isIssued = issued?.address === address && issued.purpose === purpose && !issued.isOver;
  if (!isIssued) throw new Failure("wallet_signature_refused");
  return { ...issued, pointSystemId, nonce };
}

/**
 * Writes the text that a wallet signs: the same terms always give the same text.
 * @param signer the wallet, where it is not the one that asked
 */
export function writeMessage(
  terms: SigningTerms,
  { origin, statement, resourceId }: MessageParts,
  signer: Address = terms.address,
): string {
  // The writer of viem refuses hosts such as IPv6 addresses and names of one word.
  return `${new URL(origin).origin} wants you to sign in with your Ethereum account:
${getAddress(signer)}

${statement}

URI: ${origin}/claim/${terms.pointSystemId}
Version: 1
Chain ID: ${terms.chainId}
Nonce: ${terms.nonce}
Issued At: ${terms.issuedAt.toISOString()}
Expiration Time: ${terms.expiresAt.toISOString()}
Resources:
- urn:uuid:${resourceId}`;
}

/**
 * Checks that a wallet has signed the text of a nonce that was taken.
 * @param signer the wallet, where it is not the one that asked
 * @throws {Failure} `wallet_signature_refused`, `chain_unavailable`
 */
export async function requireSignature(
  terms: SigningTerms,
  parts: MessageParts,
  signature: Hex,
  signer: Address = terms.address,
): Promise<void> {
  const signed = { address: signer, message: writeMessage(terms, parts, signer), signature };
  if (await isSignedByWallet(terms.pointSystemId, terms.chainId, signed)) return;
  throw new Failure("wallet_signature_refused");
}

/**
 * Removes expired nonces.
 * @returns whether there are more
 */
export const removeOldNonces = (): Promise<boolean> => removeExpired(walletNonces);

function hashNonce(nonce: string): Buffer {
  return createHash("sha256").update(nonce).digest();
}
