import { createHash, randomBytes } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Executor } from "../../db/client";
import { recoveryCodes } from "../../db/schema/factors";

const CODES = 10;
const CODE_BYTES = 15;
/** Letters and digits that are not mistaken for each other. */
const ALPHABET = "abcdefghjkmnpqrstuvwxyz023456789";
/** Codes of earlier versions have 16 characters. */
const CODE = /^(?:[a-z0-9]{16}|[a-z0-9]{24})$/;

const hashCode = (code: string) => createHash("sha256").update(code).digest();

/** Makes a code of 120 random bits, in six groups: a hash without salt is enough for it (ASVS 6.5.2). */
function generateCode(): string {
  const bits = BigInt(`0x${randomBytes(CODE_BYTES).toString("hex")}`);
  const letters = Array.from(
    { length: 24 },
    (_, n) => ALPHABET[Number((bits >> BigInt(5 * n)) & 31n)],
  );
  return letters.join("").replace(/(.{4})(?!$)/g, "$1-");
}

const simplify = (code: string) => code.toLowerCase().replace(/[\s-]/g, "");

/** Replaces an operator's recovery codes. Returns the new ones, which are stored as hashes alone. */
export async function replaceRecoveryCodes(
  executor: Executor,
  operatorId: string,
): Promise<string[]> {
  const codes = Array.from({ length: CODES }, generateCode);
  await deleteRecoveryCodes(executor, operatorId);
  await executor
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ operatorId, codeHash: hashCode(simplify(code)) })));
  return codes;
}

/** Uses a recovery code up. Tells whether it was one. */
export async function spendRecoveryCode(
  executor: Executor,
  operatorId: string,
  typed: string,
): Promise<boolean> {
  const code = simplify(typed);
  if (!CODE.test(code)) return false;
  const used = await executor
    .delete(recoveryCodes)
    .where(
      and(eq(recoveryCodes.operatorId, operatorId), eq(recoveryCodes.codeHash, hashCode(code))),
    )
    .returning({ operatorId: recoveryCodes.operatorId });
  return used.length > 0;
}

/** Deletes an operator's recovery codes. */
export async function deleteRecoveryCodes(executor: Executor, operatorId: string): Promise<void> {
  await executor.delete(recoveryCodes).where(eq(recoveryCodes.operatorId, operatorId));
}
