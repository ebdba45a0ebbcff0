import { sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findSession } from "../../../app/auth/sessions";
import { inTransaction, withDatabase } from "../../../app/db/client";
import { action as resetPage } from "../../../app/routes/accounts/reset-password";
import { loader as security } from "../../../app/routes/dashboard/accounts/security";
import { loader as list } from "../../../app/routes/dashboard/point-systems/list";
import { getOperatorByEmail } from "../../../app/services/access/administrators";
import type { Actor } from "../../../app/services/access/members";
import { changePassword } from "../../../app/services/accounts/account";
import {
  beginAuthenticator,
  confirmAuthenticator,
  removeAuthenticator,
  rotateAuthenticatorKeys,
  sealPlainSecrets,
} from "../../../app/services/accounts/authenticator";
import {
  readOwnFactors,
  renewRecoveryCodes,
  requireFactors,
} from "../../../app/services/accounts/factors";
import { listNotices } from "../../../app/services/accounts/notices";
import { resetFactors } from "../../../app/services/accounts/operators";
import { createResetLink } from "../../../app/services/accounts/password-reset";
import { finishSignIn } from "../../../app/services/accounts/second-step";
import { signIn } from "../../../app/services/accounts/sign-in";
import { setKeyEnvironment } from "../../../app/services/keyring/keyring";
import { parseKeys } from "../../../app/services/keyring/keys";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import {
  codeOf,
  createAdministrator,
  createOperator,
  createOrigin,
  PASSWORD,
  tally,
  toActor,
} from "../../support/operators";
import { callAction, startTestSession } from "../../support/pages";

const STEP_MS = 30_000;

const [OLD_KEY, NEW_KEY] = [createGiftCardKey("old"), createGiftCardKey("new")];
const [OLD_RING, NEW_RING] = [parseKeys(OLD_KEY), parseKeys(`${NEW_KEY},${OLD_KEY}`)];

let actor: Actor;
let lastNetwork = 0;
beforeEach(async () => {
  useGiftCardKeys(OLD_KEY);
  lastNetwork += 1;
  const origin = createOrigin(`2001:db8:fac:${lastNetwork.toString(16)}::1`);
  actor = { ...toActor(await createOperator()), ...origin };
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sets an authenticator app up. Returns its codes by the number of steps from now. */
async function setUpApp() {
  const { secret } = await beginAuthenticator(actor);
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: 30 });
  const codeAt = (steps: number) => totp.generate({ timestamp: Date.now() + steps * STEP_MS });
  const recovery = (await confirmAuthenticator(actor, codeAt(-1))) ?? [];
  return { codeAt, recovery };
}

/** Gives the password, and returns the ticket of the second step. */
async function givePassword(password = PASSWORD): Promise<string> {
  const result = await signIn({ email: actor.email, password }, actor);
  if (!("ticket" in result)) throw new Error("The password was enough");
  return result.ticket;
}
const finish = (ticket: string, code: string) => finishSignIn({ ticket, code }, actor);

test("an app counts from its first code on; then the password alone signs nobody in", async () => {
  const { secret } = await beginAuthenticator(actor);
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(await codeOf(confirmAuthenticator(actor, "000000"))).toBe("code_wrong");
  expect(await signIn({ email: actor.email, password: PASSWORD }, actor)).toHaveProperty("id");
  const { codeAt } = await setUpApp();
  expect(await listNotices(actor.operatorId)).toMatchObject([
    { kind: "credential", detail: "added authenticator app" },
  ]);
  const ticket = await givePassword();
  expect(await finish(ticket, codeAt(0))).toMatchObject({ id: actor.operatorId });
  expect(await codeOf(beginAuthenticator(actor))).toBe("authenticator_exists");
});

/** Reads the stored secret of an operator's app. */
async function readStored({ operatorId }: Actor) {
  const [row] = await withDatabase((db) =>
    db.execute<{ secret: Uint8Array | null; text: Uint8Array | null; keyId: string | null }>(sql`
      select secret, secret_ciphertext as text, secret_key_id as "keyId" from authenticators
      where operator_id = ${operatorId}`),
  );
  return row;
}

test("a secret is stored encrypted, and one that is moved to another operator's row opens nothing", async () => {
  const { secret } = await beginAuthenticator(actor);
  const bytes = Buffer.from(Secret.fromBase32(secret).buffer);
  const stored = await readStored(actor);
  expect(stored).toMatchObject({ secret: null, keyId: "old" });
  expect(Buffer.from(stored?.text ?? []).includes(bytes)).toBe(false);
  const thief = toActor(await createOperator());
  await beginAuthenticator(thief);
  await withDatabase((db) =>
    db.execute(sql`
      update authenticators a set secret_ciphertext = b.secret_ciphertext,
        secret_nonce = b.secret_nonce, secret_key_id = b.secret_key_id
      from authenticators b
      where a.operator_id = ${thief.operatorId} and b.operator_id = ${actor.operatorId}`),
  );
  const code = new TOTP({ secret: Secret.fromBase32(secret), period: 30 }).generate();
  await expect(confirmAuthenticator(thief, code)).rejects.toThrow(/authenticate data/);
  await withDatabase((db) =>
    db.execute(sql`delete from authenticators where operator_id = ${thief.operatorId}`),
  );
});

test("secrets of an earlier version count on, are encrypted without loss, and follow the rotation of keys", async () => {
  const { secret } = await beginAuthenticator(actor);
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: 30 });
  const codeAt = (steps: number) => totp.generate({ timestamp: Date.now() + steps * STEP_MS });
  const plain = Buffer.from(Secret.fromBase32(secret).buffer);
  await withDatabase((db) =>
    db.execute(sql`
      update authenticators set secret = ${plain}::bytea, secret_ciphertext = null,
        secret_nonce = null, secret_key_id = null
      where operator_id = ${actor.operatorId}`),
  );
  setKeyEnvironment({ DATABASE_URL: "postgres://away", DATA_DIR: "nowhere" });
  expect(await codeOf(sealPlainSecrets())).toBe("gift_card_keys_missing");
  await confirmAuthenticator(actor, codeAt(-1));
  useGiftCardKeys(OLD_KEY);
  expect(await sealPlainSecrets()).toBe(1);
  expect(await readStored(actor)).toMatchObject({ secret: null, keyId: "old" });
  expect(await finish(await givePassword(), codeAt(0))).toHaveProperty("id");
  const { rotated, damaged } = await rotateAuthenticatorKeys(NEW_RING);
  expect([rotated > 0, damaged]).toEqual([true, 0]);
  expect(await readStored(actor)).toMatchObject({ secret: null, keyId: "new" });
  // The old key is not needed any more, and the new one is.
  useGiftCardKeys(NEW_KEY);
  expect(await finish(await givePassword(), codeAt(1))).toHaveProperty("id");
  expect(await rotateAuthenticatorKeys(OLD_RING)).toMatchObject({ rotated: 0 });
  expect(await readStored(actor)).toMatchObject({ keyId: "new" });
});

test("a code of one step before or after counts, and none further away", async () => {
  const { codeAt } = await setUpApp();
  expect(await codeOf(finish(await givePassword(), codeAt(2)))).toBe("code_wrong");
  expect(await codeOf(finish(await givePassword(), codeAt(-2)))).toBe("code_wrong");
  expect(await finish(await givePassword(), codeAt(1))).toMatchObject({ id: actor.operatorId });
});

test("a code is used once, also when it comes ten times at once, and no earlier one after it", async () => {
  const { codeAt } = await setUpApp();
  const code = codeAt(0);
  const tickets = await Promise.all(Array.from({ length: 5 }, () => givePassword()));
  expect(await tally(tickets.map((ticket) => finish(ticket, code)))).toEqual({
    succeeded: 1,
    code_wrong: 4,
  });
  await withDatabase((db) => db.execute(sql`delete from sign_in_attempts`));
  expect(await finish(await givePassword(), codeAt(1))).toMatchObject({ id: actor.operatorId });
  expect(await codeOf(finish(await givePassword(), codeAt(0)))).toBe("code_wrong");
});

test("recovery codes are stored as hashes, sign in once each, and end when new ones are made", async () => {
  const { recovery } = await setUpApp();
  expect(new Set(recovery).size).toBe(10);
  const [first = "", second = ""] = recovery;
  expect(first).toMatch(/^[a-z0-9]{4}(-[a-z0-9]{4}){5}$/);
  const dump = await withDatabase((db) =>
    db.execute(sql`select encode(code_hash, 'escape') as hash from recovery_codes`),
  );
  expect(JSON.stringify(dump)).not.toContain(first.replaceAll("-", ""));
  const typed = ` ${first.toUpperCase().replaceAll("-", " ")} `;
  expect(await finish(await givePassword(), typed)).toMatchObject({ id: actor.operatorId });
  expect(await codeOf(finish(await givePassword(), first))).toBe("code_wrong");
  expect((await readOwnFactors(actor)).recoveryCodes).toBe(9);
  await renewRecoveryCodes(actor);
  expect(await codeOf(finish(await givePassword(), second))).toBe("code_wrong");
});

test("there are five wrong codes in 15 minutes, whatever the network; the right one counts none", async () => {
  const { codeAt, recovery } = await setUpApp();
  for (const code of recovery.slice(0, 7)) await finish(await givePassword(), code);
  const ticket = await givePassword();
  const guesses = Array.from({ length: 8 }, (_, n) =>
    finishSignIn({ ticket, code: `00000${n}` }, createOrigin(`198.51.100.${n}`)),
  );
  expect(await tally(guesses)).toEqual({ code_wrong: 5, too_many_codes: 3 });
  expect(await codeOf(finish(ticket, codeAt(0)))).toBe("too_many_codes");
});

test("a ticket is nobody else's, ends after five minutes and with the password", async () => {
  const { codeAt } = await setUpApp();
  const ticket = await givePassword();
  const other = await createOperator();
  const [, proof = ""] = ticket.split(".");
  for (const forged of ["", "x", `${other.id}.${proof}`, `${actor.operatorId}.`]) {
    expect(await codeOf(finish(forged, "000000")), forged).toBe("sign_in_expired");
  }
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 301_000 });
  expect(await codeOf(finish(ticket, codeAt(0)))).toBe("sign_in_expired");
  vi.useRealTimers();
  await changePassword(actor, { current: PASSWORD, next: "another long passphrase" });
  expect(await codeOf(finish(ticket, codeAt(0)))).toBe("sign_in_expired");
});

test("without a factor there are no recovery codes; an administrator removes lost factors", async () => {
  expect(await codeOf(renewRecoveryCodes(actor))).toBe("not_found");
  const by = await createAdministrator();
  await beginAuthenticator(actor);
  expect(await getOperatorByEmail(by, actor.email)).toMatchObject({ hasFactors: false });
  await setUpApp();
  await removeAuthenticator(actor);
  expect(await readOwnFactors(actor)).toEqual({
    passkeys: 0,
    hasAuthenticator: false,
    recoveryCodes: 0,
  });
  await setUpApp();
  const session = await startTestSession(actor);
  expect(await getOperatorByEmail(by, actor.email)).toMatchObject({ hasFactors: true });
  await resetFactors(by, actor.operatorId);
  expect(await getOperatorByEmail(by, actor.email)).toMatchObject({ hasFactors: false });
  expect((await findSession(session, "http://test.local")).operator).toBeNull();
  expect(await signIn({ email: actor.email, password: PASSWORD }, actor)).toHaveProperty("id");
});

test("where a second factor is required, one without sees the page that adds it, and no other", async () => {
  const by = await createAdministrator();
  const cookie = await startTestSession(actor);
  const open = async (loader: typeof list | typeof security, path: string) => {
    const request = new Request(`http://test.local${path}`, { headers: { cookie } });
    const context = {
      ...{ ip: actor.ip, appOrigin: "http://test.local", isSignUpOpen: false, requestId: "test" },
      ...{
        untrustedProxy: null,
        replyHeaders: {},
        setCookies: [],
        log: {},
        isRepeated: () => false,
      },
      ...{ breakConnection: () => {}, logError: () => {}, logViolation: () => {} },
    };
    try {
      await loader({ request, context, params: {} });
      return "shown";
    } catch (error) {
      return (error as Response).headers.get("location");
    }
  };
  expect(await open(list, "/dashboard")).toBe("shown");
  await requireFactors(by, true);
  try {
    expect(await open(list, "/dashboard")).toBe("/dashboard/security");
    expect(await open(security, "/dashboard/security")).toBe("shown");
    await setUpApp();
    expect(await open(list, "/dashboard")).toBe("shown");
  } finally {
    await requireFactors(by, false);
  }
});

test("a password link signs nobody in who has a second factor", async () => {
  const { codeAt } = await setUpApp();
  const { token } = await createResetLink(await createAdministrator(), actor.operatorId);
  const password = "another long passphrase";
  const body = new URLSearchParams({ password });
  const answer = await callAction(resetPage, actor, `link=${token}`, {}, body);
  if (!(answer instanceof Response)) throw new Error(JSON.stringify(answer));
  expect(answer.headers.get("location")).toBe("/sign-in?password=set");
  expect(answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0])).toEqual(["link="]);
  expect(await finish(await givePassword(password), codeAt(0))).toMatchObject({
    id: actor.operatorId,
  });
});

test.each([
  ["other keys", [createGiftCardKey("other")]],
  ["no keys", []],
])(
  "a recovery code signs in where the server has %s; a code of the app is told why not",
  async (_what, keys) => {
    const { codeAt, recovery } = await setUpApp();
    useGiftCardKeys(...keys);
    const ticket = await givePassword();
    expect(await codeOf(finish(ticket, codeAt(0)))).toBe("gift_card_keys_missing");
    expect(await finish(ticket, recovery[0] ?? "")).toMatchObject({ id: actor.operatorId });
  },
);

test("a code of an earlier secret does not confirm a later one", async () => {
  const { secret } = await beginAuthenticator(actor);
  const code = new TOTP({ secret: Secret.fromBase32(secret), period: 30 }).generate();
  const confirmation = await inTransaction(async (tx) => {
    await tx.execute(sql`
        update authenticators set secret = decode(repeat('00', 20), 'hex'), secret_ciphertext = null,
          secret_nonce = null, secret_key_id = null
        where operator_id = ${actor.operatorId}`);
    const confirming = codeOf(confirmAuthenticator(actor, code));
    await tx.execute(sql`select pg_sleep(0.3)`);
    return { confirming };
  });
  expect(await confirmation.confirming).toBe("code_wrong");
});
