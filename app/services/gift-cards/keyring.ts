import { Failure } from "../../domain/failure";
import { type GiftCardKeyring, openGiftCardKeyring } from "./codes";

// The keys of this process. They are looked for when the first code is at hand: a server that has no
// gift cards needs none.

type KeyEnvironment = Parameters<typeof openGiftCardKeyring>[0];

interface State {
  readonly env: KeyEnvironment;
  keyring: GiftCardKeyring | null;
}

// One state for the process. On globalThis, as the database's is: the two entries of the server
// build each have a copy of this module.
const holder = globalThis as typeof globalThis & { pointsGiftCards?: State | undefined };

/** Says where this process's gift card keys are. */
export function openGiftCards({ GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }: KeyEnvironment): void {
  holder.pointsGiftCards = { env: { GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }, keyring: null };
}

/**
 * The keys, to encrypt, fingerprint and decrypt codes.
 * @throws {Failure} `gift_card_keys_missing` when there are none
 */
export function getGiftCardKeyring(): GiftCardKeyring {
  const state = holder.pointsGiftCards;
  if (!state) throw new Failure("gift_card_keys_missing");
  try {
    state.keyring ??= openGiftCardKeyring(state.env);
    return state.keyring;
  } catch (error) {
    throw new Failure("gift_card_keys_missing", { cause: error });
  }
}

/** The ids of the keys that there are; none when they cannot be had. */
export function listGiftCardKeyIds(): string[] {
  try {
    return [...getGiftCardKeyring().keys()];
  } catch {
    return [];
  }
}
