import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { sharedSecrets } from "../../db/schema/limits";
import { processState } from "../../process/state";

const SECRET_BYTES = 32;

const known = processState("shared secrets", () => new Map<string, Promise<Buffer>>());

/** Returns the random secret of a name, which all instances share. The first one creates it. */
export function getSharedSecret(name: string): Promise<Buffer> {
  const secret = known.get(name) ?? readSharedSecret(name);
  known.set(name, secret);
  secret.catch(() => known.delete(name));
  return secret;
}

async function readSharedSecret(name: string): Promise<Buffer> {
  return withDatabase(async (db) => {
    await db
      .insert(sharedSecrets)
      .values({ name, secret: randomBytes(SECRET_BYTES) })
      .onConflictDoNothing();
    const [row] = await db
      .select({ secret: sharedSecrets.secret })
      .from(sharedSecrets)
      .where(eq(sharedSecrets.name, name))
      .limit(1);
    if (!row) throw new Error(`The shared secret ${name} is gone`);
    return Buffer.from(row.secret);
  });
}
