import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { withDatabase } from "../../db/client";
import { sharedSecrets } from "../../db/schema/limits";

const SECRET_BYTES = 32;

/** Reads the random secret of a name. The first instance that asks creates it. */
export async function getSharedSecret(name: string): Promise<Buffer> {
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
