import { and, eq } from "drizzle-orm";
import type { Hex } from "viem";
import { withDatabase } from "../../db/client";
import { giftCards } from "../../db/schema/gift-cards";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { REVEAL_MINUTES } from "../../domain/gift-cards/gift-card";
import {
  issueNonce,
  requireSignature,
  type SigningRequest,
  takeNonce,
  writeMessage,
} from "../wallet-signatures/nonces";
import { type RevealRequest, revealGiftCard } from "./reveal";

/** The wallet that is to sign, and the card for which it signs. */
interface Holding {
  readonly pointSystemId: string;
  readonly cardId: string;
  readonly address: Address;
}

/**
 * Writes the message that a holder signs to reveal a card's code. It can be used once, within five
 * minutes, for this card and address.
 * @param chainId the wallet's chain; a contract's signature counts on one chain only
 * @param origin the origin of this service, as configured
 * @throws {Failure} `not_found`, also when the card belongs to another wallet
 */
export async function askForSignature(
  { chainId, ...holding }: Holding & { readonly chainId: number },
  origin: string,
): Promise<{ nonce: string; message: string }> {
  const { pointSystemId, cardId, address } = holding;
  const [card] = await withDatabase((db) =>
    db
      .select({ id: giftCards.id })
      .from(giftCards)
      .where(
        and(
          eq(giftCards.pointSystemId, pointSystemId),
          eq(giftCards.id, cardId),
          eq(giftCards.address, address),
        ),
      ),
  );
  if (!card) throw new Failure("not_found");
  const terms = await issueNonce(toRequest(holding), chainId, REVEAL_MINUTES);
  return { nonce: terms.nonce, message: writeMessage(terms, describeReveal(holding, origin)) };
}

/**
 * Reveals a gift card's code to the wallet that signed for it. The nonce is used up in any case.
 * @param origin the origin of this service, as configured
 * @throws {Failure} `wallet_signature_refused`, `chain_unavailable`, and the failures of `revealGiftCard`
 */
export async function revealSignedGiftCard(
  { nonce, signature, ...request }: RevealRequest & { nonce: string; signature: Hex },
  origin: string,
): Promise<{ code: string; claimedAt: Date }> {
  const terms = await takeNonce(toRequest(request), nonce);
  await requireSignature(terms, describeReveal(request, origin), signature);
  return revealGiftCard(request);
}

const toRequest = ({ pointSystemId, cardId, address }: Holding): SigningRequest => ({
  ...{ pointSystemId, address },
  purpose: `gift-card ${cardId}`,
});

const describeReveal = ({ cardId }: Holding, origin: string) => ({
  origin,
  statement: "Show me the code of my gift card. This costs nothing and moves nothing.",
  resourceId: cardId,
});
