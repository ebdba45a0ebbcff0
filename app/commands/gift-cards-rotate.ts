import { rotateAuthenticatorKeys } from "../services/accounts/authenticator";
import { rotateGiftCardKeys } from "../services/gift-cards/rotation";
import { openKeyring } from "../services/keyring/keys";
import { rotateWebhookKeys } from "../services/webhooks/secrets";
import { readOptions } from "./options";
import { withCommandDatabase } from "./with-database";

// npm run gift-cards:rotate: encrypts every gift card code, every webhook secret and every secret of an
// authenticator app with the first key. The exit status is 1 when some could not be encrypted: the other keys must then stay.

readOptions("npm run gift-cards:rotate", {});
await withCommandDatabase(async (env) => {
  const keyring = openKeyring(env);
  const { rotated, lacking, damaged, held } = await rotateGiftCardKeys(keyring, (count) => {
    console.error(`${count} codes`);
  });
  for (const [keyId, cards] of lacking) {
    console.log(`${cards} codes are under the key ${keyId}, which GIFT_CARD_KEYS does not have`);
  }
  for (const id of damaged) console.log(`The code of card ${id} does not decrypt`);
  if (held > 0) console.log(`${held} codes were in use: run it again`);
  const webhooks = await rotateWebhookKeys(keyring);
  for (const id of webhooks.damaged) {
    console.log(`A secret of webhook ${id} does not decrypt. Rotate it in the dashboard`);
  }
  if (webhooks.rotated > 0) {
    console.log(`The secrets of ${webhooks.rotated} webhooks encrypted with the first key`);
  }
  const apps = await rotateAuthenticatorKeys(keyring);
  if (apps.rotated > 0) {
    console.log(`The secrets of ${apps.rotated} authenticator apps encrypted with the first key`);
  }
  if (apps.damaged > 0) {
    console.log(`The secrets of ${apps.damaged} authenticator apps do not decrypt`);
  }
  const allDamaged = damaged.length + webhooks.damaged.length + apps.damaged;
  const isComplete = lacking.size === 0 && allDamaged === 0 && held === 0;
  const [current] = keyring.keys();
  console.log(
    `${rotated} codes encrypted with the first key${isComplete ? `; all are under ${current}` : ""}`,
  );
  process.exitCode = isComplete ? 0 : 1;
});
