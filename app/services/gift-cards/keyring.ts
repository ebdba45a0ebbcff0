import { Failure } from "../../domain/failure";
import { processState } from "../../process/state";
import {
  type GiftCardKeyring,
  hasGiftCardKeys,
  type KeyEnvironment,
  openGiftCardKeyring,
} from "./codes";

// The keys of this process. They are opened with the first code: a server without gift cards needs
// no keys.

interface State {
  readonly env: KeyEnvironment;
  readonly onKeyMade: () => void;
  keyring: GiftCardKeyring | null;
}

const holder = processState<{ current?: State | undefined }>("gift cards", () => ({}));

/**
 * Sets the environment from which this process opens its gift card keys.
 * @param onKeyMade called when the first secret makes a key beside the data
 */
export function openGiftCards(
  { GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }: KeyEnvironment,
  onKeyMade = () => {},
): void {
  holder.current = { env: { GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }, onKeyMade, keyring: null };
}

/**
 * Returns the keys that encrypt, fingerprint and decrypt codes.
 * @throws {Failure} `gift_card_keys_missing` when there are none
 */
export function getGiftCardKeyring(): GiftCardKeyring {
  const state = holder.current;
  if (!state) throw new Failure("gift_card_keys_missing");
  try {
    if (!state.keyring) {
      const isNew = !hasGiftCardKeys(state.env);
      state.keyring = openGiftCardKeyring(state.env);
      if (isNew) state.onKeyMade();
    }
    return state.keyring;
  } catch (error) {
    throw new Failure("gift_card_keys_missing", { cause: error });
  }
}

/** Lists the ids of the keys; none when the keys cannot be opened. */
export function listGiftCardKeyIds(): string[] {
  try {
    return [...getGiftCardKeyring().keys()];
  } catch {
    return [];
  }
}
