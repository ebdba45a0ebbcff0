import { getAddress, type Hex } from "viem";
import type { Address } from "../../domain/address";
import { Failure } from "../../domain/failure";
import { LINK_MINUTES } from "../../domain/wallet-links/wallet-link";
import type { WalletPair } from "../ledger/move";
import {
  issueNonce,
  requireSignature,
  type SigningRequest,
  takeNonce,
  writeMessage,
} from "../wallet-signatures/nonces";
import { linkInLedger, type MovedPoints, unlinkInLedger } from "./links";

/** The texts to sign: the linked wallet's, and the primary one's. Both name both wallets, and have one nonce. */
interface LinkMessages {
  readonly nonce: string;
  readonly message: string;
  readonly primaryMessage: string;
}

/**
 * Writes the two messages that a holder signs to link a wallet to a primary one. They can be used once, within ten
 * minutes, for these wallets in this order.
 * @param chainId the connected wallet's chain; a contract's signature counts on one chain only
 * @param origin the origin of this service, as configured
 * @throws {Failure} `wallets_same`
 */
export async function askForLinkSignatures(
  pointSystemId: string,
  { address, primaryAddress, chainId }: WalletPair & { readonly chainId: number },
  origin: string,
): Promise<LinkMessages> {
  if (address === primaryAddress) throw new Failure("wallets_same");
  const pair = { address, primaryAddress };
  const terms = await issueNonce(toLinkRequest(pointSystemId, pair), chainId, LINK_MINUTES);
  const parts = describeLink(pointSystemId, pair, origin);
  return {
    nonce: terms.nonce,
    message: writeMessage(terms, parts),
    primaryMessage: writeMessage(terms, parts, primaryAddress),
  };
}

/**
 * Links two wallets whose holder has signed with both. The nonce is used up in any case.
 * @param origin the origin of this service, as configured
 * @throws {Failure} `wallet_signature_refused`, `chain_unavailable`, and the failures of `linkInLedger`
 */
export async function linkSignedWallets(
  pointSystemId: string,
  signed: WalletPair & {
    readonly nonce: string;
    readonly signature: Hex;
    readonly primarySignature: Hex;
  },
  origin: string,
): Promise<MovedPoints> {
  const { address, primaryAddress, nonce, signature, primarySignature } = signed;
  const pair = { address, primaryAddress };
  const terms = await takeNonce(toLinkRequest(pointSystemId, pair), nonce);
  const parts = describeLink(pointSystemId, pair, origin);
  await requireSignature(terms, parts, signature);
  await requireSignature(terms, parts, primarySignature, primaryAddress);
  return linkInLedger(pointSystemId, pair, null);
}

/**
 * Writes the message that a holder signs to unlink a wallet. It can be used once, within ten minutes. It does not say
 * whether the wallet is linked, nor to which: only its holder learns that.
 * @param chainId the connected wallet's chain; a contract's signature counts on one chain only
 * @param origin the origin of this service, as configured
 */
export async function askForUnlinkSignature(
  pointSystemId: string,
  { address, chainId }: { readonly address: Address; readonly chainId: number },
  origin: string,
): Promise<{ nonce: string; message: string }> {
  const terms = await issueNonce(toUnlinkRequest(pointSystemId, address), chainId, LINK_MINUTES);
  const message = writeMessage(terms, describeUnlink(pointSystemId, address, origin));
  return { nonce: terms.nonce, message };
}

/**
 * Unlinks a wallet that has signed for it. The nonce is used up in any case.
 * @param origin the origin of this service, as configured
 * @throws {Failure} `wallet_signature_refused`, `chain_unavailable`, `wallet_not_linked`
 */
export async function unlinkSignedWallet(
  pointSystemId: string,
  signed: { readonly address: Address; readonly nonce: string; readonly signature: Hex },
  origin: string,
): Promise<WalletPair> {
  const { address, nonce, signature } = signed;
  const terms = await takeNonce(toUnlinkRequest(pointSystemId, address), nonce);
  await requireSignature(terms, describeUnlink(pointSystemId, address, origin), signature);
  return unlinkInLedger(pointSystemId, address, null);
}

const toUnlinkRequest = (pointSystemId: string, address: Address): SigningRequest => ({
  ...{ pointSystemId, address },
  purpose: "unlink",
});

const describeUnlink = (pointSystemId: string, address: Address, origin: string) => ({
  origin,
  statement: `Count the points that ${getAddress(address)} earns for itself again from now on. The points that moved to another wallet stay there. This costs nothing and moves no tokens.`,
  resourceId: pointSystemId,
});

const toLinkRequest = (
  pointSystemId: string,
  { address, primaryAddress }: WalletPair,
): SigningRequest => ({ pointSystemId, address, purpose: `link ${primaryAddress}` });

const describeLink = (pointSystemId: string, pair: WalletPair, origin: string) => ({
  origin,
  statement: `Count the points of ${getAddress(pair.address)} for ${getAddress(pair.primaryAddress)} from now on. The points that it has move there and do not come back. This costs nothing and moves no tokens.`,
  resourceId: pointSystemId,
});
