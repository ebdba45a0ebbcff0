import { Failure } from "../../domain/failure";
import { processState } from "../../process/state";
import { hasKeys, type KeyEnvironment, type Keyring, openKeyring } from "./keys";

// The keys of this process, for codes of gift cards, secrets of webhooks and those of second factors. They are opened with
// the first secret: a server without any needs no keys.

interface State {
  readonly env: KeyEnvironment;
  readonly onKeyMade: () => void;
  keyring: Keyring | null;
}

const holder = processState<{ current?: State | undefined }>("keyring", () => ({}));

/**
 * Sets the environment from which this process opens its keys.
 * @param onKeyMade called when the first secret makes a key beside the data
 */
export function setKeyEnvironment(
  { GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }: KeyEnvironment,
  onKeyMade = () => {},
): void {
  holder.current = { env: { GIFT_CARD_KEYS, DATABASE_URL, DATA_DIR }, onKeyMade, keyring: null };
}

/**
 * Returns the keys that encrypt, decrypt and fingerprint secrets.
 * @throws {Failure} `gift_card_keys_missing` when there are none
 */
export function getKeyring(): Keyring {
  const state = holder.current;
  if (!state) throw new Failure("gift_card_keys_missing");
  try {
    if (!state.keyring) {
      const isNew = !hasKeys(state.env);
      state.keyring = openKeyring(state.env);
      if (isNew) state.onKeyMade();
    }
    return state.keyring;
  } catch (error) {
    throw new Failure("gift_card_keys_missing", { cause: error });
  }
}

/** Lists the ids of the keys; none when the keys cannot be opened. */
export function listKeyIds(): string[] {
  try {
    return [...getKeyring().keys()];
  } catch {
    return [];
  }
}
