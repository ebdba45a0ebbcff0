import { commandDatabase, openMigratedDatabase } from "../db/open";
import { readEnv } from "../env";
import { openGiftCardKeyring } from "../services/gift-cards/codes";
import { rotateGiftCardKeys } from "../services/gift-cards/rotation";

// npm run gift-cards:rotate: encrypts every gift card code with the first key. The exit status is 1
// when some codes could not be encrypted: the other keys must then stay.

const env = readEnv();
const closeDatabase = await openMigratedDatabase(commandDatabase(env, console.error));
try {
  const keyring = openGiftCardKeyring(env);
  const { rotated, lacking, damaged, held } = await rotateGiftCardKeys(keyring, (count) => {
    console.error(`${count} codes`);
  });
  for (const [keyId, cards] of lacking) {
    console.log(`${cards} codes are under the key ${keyId}, which GIFT_CARD_KEYS does not have`);
  }
  for (const id of damaged) console.log(`The code of card ${id} does not decrypt`);
  if (held > 0) console.log(`${held} codes were in use all the time: run it again`);
  const isComplete = lacking.size === 0 && damaged.length === 0 && held === 0;
  const [current] = keyring.keys();
  console.log(`${rotated} codes encrypted anew${isComplete ? `; all are under ${current}` : ""}`);
  process.exitCode = isComplete ? 0 : 1;
} finally {
  await closeDatabase();
}
