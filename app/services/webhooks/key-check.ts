import { sql } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { decryptGiftCardCode, type EncryptedCode, type GiftCardRow } from "../gift-cards/codes";
import type { EncryptedText } from "../keyring/encryption";
import { getKeyring } from "../keyring/keyring";
import { describeKeys, hasKeys, type KeyEnvironment } from "../keyring/keys";
import { decryptSecret, type EndpointKey } from "./secrets";

/** The ids of keys that do not fit the database. */
export interface KeyCheck {
  /** Keys that codes or secrets are under, and that the environment does not have. */
  readonly lacking: readonly string[];
  /** Keys that do not decrypt what is under their ids: others had these ids. */
  readonly wrong: readonly string[];
}

type CodeSample = GiftCardRow & { readonly [Field in keyof EncryptedCode]: EncryptedCode[Field] };
type SecretSample = EndpointKey & { readonly [Field in keyof EncryptedText]: EncryptedText[Field] };

/** Reads a code of each reward, webhooks' secrets, and the keys of authenticator apps. */
function readSamples() {
  return withDatabase(async (db) => ({
    codes: await db.execute<{ [Field in keyof CodeSample]: CodeSample[Field] }>(sql`
      select distinct on (c."codeKeyId") c.* from rewards r
      cross join lateral (
        select g.id, g.reward_id as "rewardId", g.code_ciphertext as "codeCiphertext",
          g.code_nonce as "codeNonce", g.code_key_id as "codeKeyId", g.needs_seal as "needsSeal"
        from gift_cards g where g.point_system_id = r.point_system_id and g.reward_id = r.id limit 1
      ) c`),
    secrets: await db.execute<{ [Field in keyof SecretSample]: SecretSample[Field] }>(sql`
      select distinct on (secret_key_id) point_system_id as "pointSystemId", id,
        secret_ciphertext as ciphertext, secret_nonce as nonce, secret_key_id as "keyId"
      from webhook_endpoints`),
    apps: await db.execute<{ keyId: string }>(sql`
      select distinct secret_key_id as "keyId" from authenticators where secret_key_id is not null`),
  }));
}

function decrypts(decrypt: () => string): boolean {
  try {
    decrypt();
    return true;
  } catch {
    return false;
  }
}

/** Compares the keys of the environment with what is encrypted in the database. It makes no key. */
export async function checkGiftCardKeys(env: KeyEnvironment): Promise<KeyCheck> {
  const { codes, secrets, apps } = await readSamples();
  const ids = [
    ...codes.map(({ codeKeyId }) => codeKeyId),
    ...[...secrets, ...apps].map(({ keyId }) => keyId),
  ];
  if (ids.length === 0) return { lacking: [], wrong: [] };
  if (!hasKeys(env)) return { lacking: [...new Set(ids)], wrong: [] };
  const keyring = getKeyring();
  const wrong = [
    ...codes
      .filter((code) => !decrypts(() => decryptGiftCardCode(keyring, code, code)))
      .map(({ codeKeyId }) => codeKeyId),
    ...secrets
      .filter((secret) => !decrypts(() => decryptSecret(secret, secret)))
      .map(({ keyId }) => keyId),
  ];
  return {
    lacking: [...new Set(ids.filter((id) => !keyring.has(id)))],
    wrong: [...new Set(wrong.filter((id) => keyring.has(id)))],
  };
}

/**
 * Refuses keys with which a process would spoil codes: new codes would be under an id that means another key.
 * A key that is lacking beside others spoils nothing; the pages of its rewards name it.
 * @throws {Error} with a message for people
 */
export async function refuseWrongKeys(env: KeyEnvironment): Promise<void> {
  const { lacking, wrong } = await checkGiftCardKeys(env);
  const isFileLost = lacking.length > 0 && !hasKeys(env) && env.DATABASE_URL === undefined;
  const ids = isFileLost ? lacking : wrong;
  if (ids.length === 0) return;
  throw new Error(
    `${describeKeys(env)} ${isFileLost ? "is missing" : "is wrong"}: codes of gift cards or other secrets in this database are under another key with the id ${ids.join(", ")}. Put that key back.`,
  );
}
