import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { decryptText, type EncryptedText, encryptText } from "../keyring/encryption";
import { getKeyring } from "../keyring/keyring";
import type { Keyring } from "../keyring/keys";

// An endpoint's secrets are encrypted with the keyring of gift card codes.

/** The endpoint to which a secret belongs. A ciphertext that is moved to another does not decrypt. */
export interface EndpointKey {
  readonly pointSystemId: string;
  readonly id: string;
}

/**
 * Encrypts a secret with the first key.
 * @throws {Failure} `gift_card_keys_missing`
 */
export function encryptSecret(key: EndpointKey, secret: string): EncryptedText {
  return encryptText(getKeyring(), toAssociatedData(key), secret);
}

/**
 * Decrypts a secret.
 * @throws {Failure} `gift_card_keys_missing` when there are no keys
 * @throws {Error} when its key is missing, or the row was changed
 */
export function decryptSecret(key: EndpointKey, secret: EncryptedText): string {
  return decryptText(getKeyring(), toAssociatedData(key), secret);
}

/** The purpose, then two UUIDs of fixed length: no code of a gift card gives the same bytes. */
function toAssociatedData({ pointSystemId, id }: EndpointKey): Buffer {
  return Buffer.from(`webhook ${pointSystemId}${id}`.toLowerCase(), "utf8");
}

/** The secrets of an endpoint as they are stored. */
export interface StoredSecrets extends EndpointKey {
  readonly ciphertext: Uint8Array;
  readonly nonce: Uint8Array;
  readonly keyId: string;
  readonly formerCiphertext: Uint8Array | null;
  readonly formerNonce: Uint8Array | null;
  readonly formerKeyId: string | null;
}

/**
 * Decrypts an endpoint's secrets, the newest first. A former one whose key is lost is left out.
 * @throws {Failure} `gift_card_keys_missing` when there are no keys
 * @throws {Error} when the newest one does not decrypt
 */
export function decryptSecrets(row: StoredSecrets, keyring = getKeyring()): string[] {
  const { formerCiphertext, formerNonce, formerKeyId } = row;
  const data = toAssociatedData(row);
  const secrets = [decryptText(keyring, data, row)];
  if (formerCiphertext && formerNonce && formerKeyId) {
    const former = { ciphertext: formerCiphertext, nonce: formerNonce, keyId: formerKeyId };
    try {
      secrets.push(decryptText(keyring, data, former));
    } catch {
      // The newest one signs alone.
    }
  }
  return secrets;
}

/**
 * Re-encrypts the secrets that are not under the first key, and clears former ones that have expired or
 * do not decrypt. It may run while servers that have both keys deliver and rotate secrets.
 * @returns the endpoints whose secrets were re-encrypted, and those whose newest secret does not decrypt
 */
export async function rotateWebhookKeys(
  keyring: Keyring,
): Promise<{ rotated: number; damaged: readonly string[] }> {
  const [current = ""] = keyring.keys();
  const rows = await withDatabase((db) =>
    db.execute<{ [Key in keyof StoredSecrets]: StoredSecrets[Key] }>(sql`
      select point_system_id as "pointSystemId", id, secret_ciphertext as ciphertext,
        secret_nonce as nonce, secret_key_id as "keyId",
        case when former_until > now() then former_ciphertext end as "formerCiphertext",
        former_nonce as "formerNonce", former_key_id as "formerKeyId"
      from webhook_endpoints
      where secret_key_id <> ${current} or former_key_id <> ${current}`),
  );
  let rotated = 0;
  const damaged: string[] = [];
  for (const row of rows) {
    try {
      const [secret, former] = decryptSecrets(row, keyring).map((text) =>
        encryptText(keyring, toAssociatedData(row), text),
      ) as [EncryptedText, EncryptedText?];
      const toBuffer = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes) : null);
      // A secret that was rotated meanwhile stays as it is: it is under a key that this run knows.
      const changed = await withDatabase((db) =>
        db.execute(sql`
          update webhook_endpoints set secret_ciphertext = ${toBuffer(secret.ciphertext)}::bytea,
            secret_nonce = ${toBuffer(secret.nonce)}::bytea, secret_key_id = ${secret.keyId},
            former_ciphertext = ${toBuffer(former?.ciphertext)}::bytea,
            former_nonce = ${toBuffer(former?.nonce)}::bytea, former_key_id = ${former?.keyId ?? null},
            former_until = case when ${former !== undefined} then former_until end
          where point_system_id = ${row.pointSystemId} and id = ${row.id}
            and secret_nonce = ${toBuffer(row.nonce)}::bytea`),
      );
      rotated += changed.count;
    } catch {
      damaged.push(row.id);
    }
  }
  return { rotated, damaged };
}
