import { hasReplicas } from "../../db/replicas";
import { markWritten, nameWallet, readNearby } from "../../db/replicated";
import type { Address } from "../../domain/address";
import type { Credential } from "./authorization";

// Callers read what they have written, also where replicas answer (docs/decisions/079).

const nameCaller = ({ tokenHash }: Credential) => tokenHash.toString("hex");

/** Notes that a key has just written, to these wallets if they are known. */
export function noteWriter(
  credential: Credential,
  pointSystemId = "",
  addresses: readonly Address[] = [],
): void {
  if (!hasReplicas()) return;
  const wallets = addresses.map((address) => nameWallet(pointSystemId, address));
  markWritten(nameCaller(credential), ...wallets);
}

/** Notes a write to the ledger or the rewards of a point system other than a credit by a key. */
export const noteWrittenLedger = (pointSystemId: string) =>
  markWritten(pointSystemId.toLowerCase());

/** Tells whether replicas may answer what only reads. */
export const mayReplicasAnswer = hasReplicas;

/**
 * Runs a key's call that only reads, on a replica that has the writes of the key, of the wallet and to the ledger.
 * @param question the call's URL
 */
export function readReplicated<T>(
  credential: Credential,
  question: string,
  input: {
    readonly pointSystemId: string;
    readonly address?: Address | undefined;
    readonly around?: Address | undefined;
  },
  work: () => Promise<T>,
): Promise<T> {
  if (!hasReplicas()) return work();
  const { pointSystemId, address = input.around } = input;
  const caller = nameCaller(credential);
  const names = [caller, pointSystemId.toLowerCase()];
  if (address !== undefined) names.push(nameWallet(pointSystemId, address));
  return readNearby(`${caller} ${question}`, names, work);
}
