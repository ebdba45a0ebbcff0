import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { withDatabase } from "../../../app/db/client";
import { signInAttempts } from "../../../app/db/schema/sessions";
import { signIn } from "../../../app/services/accounts/sign-in";
import { createOperator, createOrigin, failureOf, PASSWORD, tally } from "../../support/operators";

beforeEach(async () => {
  await withDatabase((db) => db.delete(signInAttempts));
});

let lastIp = 0;
/** Creates an address that has made no attempt yet. */
function createIp(): string {
  lastIp += 1;
  return `198.51.${lastIp >> 8}.${lastIp & 255}`;
}
const createEmail = () => `${randomUUID()}@example.com`;
const guess = (email: string, ip: string) =>
  signIn({ email, password: "a wrong guess" }, createOrigin(ip));
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make);

/** Moves every attempt into the past. */
const age = (seconds: number) =>
  withDatabase((db) =>
    db.execute(sql`
      update sign_in_attempts set
        attempted_at = array(select a - make_interval(secs => ${seconds}) from unnest(attempted_at) a),
        expires_at = expires_at - make_interval(secs => ${seconds})`),
  );

test("the right password signs in; a wrong one and an unknown account are refused alike", async () => {
  const { id, email } = await createOperator();
  const ip = createIp();
  expect(await signIn({ email, password: PASSWORD }, createOrigin(ip))).toMatchObject({
    id,
    email,
    name: "Ada",
    isAdministrator: false,
  });
  const refusals = [
    await failureOf(guess(email, ip)),
    await failureOf(guess(createEmail(), ip)),
    await failureOf(signIn({ email: createEmail(), password: PASSWORD }, createOrigin(ip))),
  ];
  for (const refusal of refusals) expect(refusal).toEqual(refusals[0]);
  expect(refusals[0]?.code).toBe("sign_in_refused");
});

test("an unknown account takes as long as a wrong password", async () => {
  const { email } = await createOperator();
  await failureOf(guess(createEmail(), createIp())); // creates the hash that the others share
  const durations: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
  for (let round = 0; round < 30; round += 1) {
    for (const kind of ["known", "unknown"] as const) {
      await withDatabase((db) => db.delete(signInAttempts));
      const startedAt = performance.now();
      await failureOf(guess(kind === "known" ? email : createEmail(), createIp()));
      durations[kind].push(performance.now() - startedAt);
    }
  }
  const [known, unknown] = [durations.known, durations.unknown].map((all) => {
    return all.sort((a, b) => a - b)[Math.floor(all.length / 2)] as number;
  }) as [number, number];
  // A password's hash takes most of the time: without it, the ratio would be 3 or more.
  expect(Math.max(known / unknown, unknown / known), `${known} and ${unknown} ms`).toBeLessThan(
    1.5,
  );
});

describe("10 attempts within 15 minutes", () => {
  test("are all that an account takes, whether it exists and whatever the password", async () => {
    const { email } = await createOperator();
    for (const account of [email, createEmail()]) {
      expect(await tally(times(10, () => guess(account, createIp())))).toEqual({
        sign_in_refused: 10,
      });
      const refusal = await failureOf(
        signIn({ email: account, password: PASSWORD }, createOrigin(createIp())),
      );
      expect(refusal.code).toBe("too_many_sign_ins");
      expect(refusal.details.retryAfterSeconds).toBeGreaterThan(890);
      expect(refusal.details.retryAfterSeconds).toBeLessThanOrEqual(900);
    }
  });

  test("are exact when 60 come at once, to one account or from one address", async () => {
    const [email, ip] = [createEmail(), createIp()];
    const expected = { sign_in_refused: 10, too_many_sign_ins: 50 };
    expect(await tally(times(60, () => guess(email, createIp())))).toEqual(expected);
    expect(await tally(times(60, () => guess(createEmail(), ip)))).toEqual(expected);
  });

  test("count a whole /64 of IPv6, and IPv4 in IPv6 notation as IPv4", async () => {
    let host = 0;
    const sameNetwork = () => {
      host += 1;
      return `2001:db8:1:2:${host.toString(16)}::1`;
    };
    expect(await tally(times(11, () => guess(createEmail(), sameNetwork())))).toEqual({
      sign_in_refused: 10,
      too_many_sign_ins: 1,
    });
    expect((await failureOf(guess(createEmail(), "2001:db8:1:3::1"))).code).toBe("sign_in_refused");
    const ip = createIp();
    await tally(times(10, () => guess(createEmail(), ip)));
    const { code } = await failureOf(guess(createEmail(), `::ffff:${ip}`));
    expect(code).toBe("too_many_sign_ins");
  });

  test("are free again after exactly as long as the refusal says", async () => {
    const email = createEmail();
    await tally(times(10, () => guess(email, createIp())));
    await age(895);
    const { retryAfterSeconds = 0 } = (await failureOf(guess(email, createIp()))).details;
    expect(retryAfterSeconds).toBeGreaterThan(0);
    expect(retryAfterSeconds).toBeLessThanOrEqual(5);
    await age(retryAfterSeconds);
    expect((await failureOf(guess(email, createIp()))).code).toBe("sign_in_refused");
  });

  test("slide: each leaves 15 minutes after it came", async () => {
    const email = createEmail();
    await tally(times(6, () => guess(email, createIp())));
    await age(600);
    await tally(times(4, () => guess(email, createIp())));
    await age(301);
    expect(await tally(times(10, () => guess(email, createIp())))).toEqual({
      sign_in_refused: 6,
      too_many_sign_ins: 4,
    });
  });

  test("do not count the right password", async () => {
    const { email } = await createOperator();
    const ip = createIp();
    for (const _ of times(12, () => null))
      await signIn({ email, password: PASSWORD }, createOrigin(ip));
    expect(await tally(times(11, () => guess(email, ip)))).toEqual({
      sign_in_refused: 10,
      too_many_sign_ins: 1,
    });
  });

  test("do not count against an account what its address was refused", async () => {
    const [email, ip] = [createEmail(), createIp()];
    await tally(times(10, () => guess(createEmail(), ip)));
    await tally(times(10, () => guess(email, ip)));
    expect(await tally(times(11, () => guess(email, createIp())))).toEqual({
      sign_in_refused: 10,
      too_many_sign_ins: 1,
    });
  });
});

test("neither an address nor what was typed is stored, and nothing for longer than it counts", async () => {
  await failureOf(guess("my password, in the wrong field", createIp()));
  const rows = await withDatabase((db) => db.select().from(signInAttempts));
  expect(rows).toHaveLength(2);
  for (const { subject } of rows) expect(subject).toHaveLength(32);
  await age(900);
  await failureOf(guess(createEmail(), createIp()));
  expect(await withDatabase((db) => db.select().from(signInAttempts))).toHaveLength(2);
});
