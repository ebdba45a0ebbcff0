import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../../app/db/client";
import { generateApiKeyToken } from "../../app/domain/access/api-key";
import { rebuildRanks } from "../../app/services/board/rank-counts";
import { type Answer, call } from "../support/call";
import { createAddress, scene } from "../support/scene";
import { changeUnguarded } from "../support/test-database";

/** Moves the credits of a point system into the past. */
async function age(pointSystemId: string, seconds: number): Promise<void> {
  await changeUnguarded(async (tx) => {
    // By UTC, since Citus takes no difference of times with a zone in an update.
    await tx`
      update point_events
      set created_at = (created_at at time zone 'UTC' - make_interval(secs => ${seconds})) at time zone 'UTC'
      where point_system_id = ${pointSystemId}`;
    await tx`
      update wallets
      set last_credit_at = (last_credit_at at time zone 'UTC' - make_interval(secs => ${seconds})) at time zone 'UTC'
      where point_system_id = ${pointSystemId}`;
  });
}

describe("a credit", () => {
  test("adds the trigger's points, creates the wallet and answers the documented fields", async () => {
    const { fire, wallet, get } = await scene({ trigger: { points: 25 } });
    const answer = await fire();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      pointsAdded: 25,
      triggerKey: "daily_login",
      walletAddress: wallet,
    });
    expect((await get("/wallet", { address: wallet })).body).toEqual({
      address: wallet,
      points: 25,
      events: 1,
      rank: 1,
    });
  });

  test("takes an address in any letter case and answers it in lowercase", async () => {
    const { fire, wallet, pointsOf } = await scene();
    const answer = await fire({ walletAddress: `0x${wallet.slice(2).toUpperCase()}` });
    expect(answer.body.walletAddress).toBe(wallet);
    expect(await pointsOf(wallet)).toBe(10);
  });

  test("is recorded as one point event with the trigger key", async () => {
    const { fire, get, wallet } = await scene();
    await fire();
    const { activity, pagination } = (await get("/activity")).body;
    expect(pagination.total).toBe(1);
    expect(activity).toMatchObject([{ address: wallet, points: 10, event: "daily_login" }]);
  });

  test("is taken without a content type, and with a charset", async () => {
    const { fire, token, wallet, pointSystemId } = await scene();
    expect((await fire({}, { "Content-Type": "Application/JSON; charset=utf-8" })).status).toBe(
      200,
    );
    const body = new TextEncoder().encode(
      JSON.stringify({ triggerKey: "daily_login", walletAddress: wallet, pointSystemId }),
    );
    const headers = { Authorization: `Bearer ${token}` };
    expect((await call("/trigger", { method: "POST", headers, body })).status).toBe(200);
  });

  test("of many at once to one wallet is never lost", async () => {
    const { fire, pointSystemId, addKey, pointsOf, wallet } = await scene();
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => addKey("trigger", [pointSystemId])),
    );
    const answers = await Promise.all(
      tokens.flatMap((token) =>
        Array.from({ length: 10 }, () => fire({}, { Authorization: `Bearer ${token}` })),
      ),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await pointsOf(wallet)).toBe(2_000);
  });
});

describe("400", () => {
  test.each([
    ["absent", { triggerKey: undefined }],
    ["null", { walletAddress: null }],
    ["empty", { pointSystemId: "" }],
    ["not a string", { triggerKey: 7 }],
  ])("a required field that is %s answers which fields are required", async (_, change) => {
    const { fire, wallet, pointsOf } = await scene();
    expect(await fire(change)).toMatchObject({
      status: 400,
      body: { error: "Missing required fields: triggerKey, walletAddress, pointSystemId" },
    });
    expect(await pointsOf(wallet)).toBe(0);
  });

  test.each(["0x12", "vitalik.eth", `0x${"g".repeat(40)}`, ` 0x${"a".repeat(40)}`])(
    "%j is no wallet address",
    async (walletAddress) => {
      const { fire } = await scene();
      expect(await fire({ walletAddress })).toMatchObject({
        status: 400,
        body: { error: "Invalid wallet address" },
      });
    },
  );

  test.each([" ", "{", "undefined", '{"triggerKey":}'])("%j is no JSON", async (body) => {
    const { token } = await scene();
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    expect(await call("/trigger", { method: "POST", headers, body })).toMatchObject({
      status: 400,
      body: { error: "Invalid JSON body" },
    });
  });

  test.each(["[]", "null", "7", '"text"'])("%s is JSON without the fields", async (body) => {
    const { token } = await scene();
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    expect(await call("/trigger", { method: "POST", headers, body })).toMatchObject({
      status: 400,
      body: { code: "missing_fields" },
    });
  });

  test("an empty body lacks the fields, and is judged after the key and its permission", async () => {
    const { token, addKey, pointSystemId } = await scene();
    const reader = await addKey("read", [pointSystemId]);
    const send = (key: string, body: string | null, headers: Record<string, string> = {}) =>
      call("/trigger", {
        method: "POST",
        headers: { Authorization: `Bearer ${key}`, ...headers },
        body,
      });
    const missing = "Missing required fields: triggerKey, walletAddress, pointSystemId";
    const json = { "Content-Type": "application/json" };
    for (const [body, headers] of [[null], [null, json], ["", json]] as const) {
      expect(await send(token, body, headers)).toMatchObject({
        status: 400,
        body: { error: missing, message: missing, code: "missing_fields" },
      });
      expect((await send(generateApiKeyToken(), body, headers)).body.error).toBe("Invalid API key");
      expect((await send(reader, body, headers)).body.error).toBe(
        "This API key does not have trigger permissions",
      );
    }
  });

  test("a credit that would pass 2^53-1 is refused and changes nothing", async () => {
    const { fire, pointSystemId, wallet, get } = await scene({ wallets: [] });
    await fire();
    const almost = Number.MAX_SAFE_INTEGER - 9;
    await withDatabase((db) =>
      db.execute(
        sql`update wallets set points = ${almost} where point_system_id = ${pointSystemId}`,
      ),
    );
    // The ledger does not contain this change, and the counts of ranks would contradict the
    // wallets.
    await rebuildRanks(pointSystemId);
    expect(await fire()).toMatchObject({ status: 400, body: { error: "Points limit reached" } });
    const { points, events } = (await get("/wallet", { address: wallet })).body;
    expect({ points, events }).toEqual({ points: almost, events: 1 });
  });
});

describe("the body", () => {
  test("of another content type is refused with 415", async () => {
    const { fire } = await scene();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"]) {
      expect(await fire({}, { "Content-Type": type })).toMatchObject({
        status: 415,
        body: { error: "Content-Type must be application/json" },
      });
    }
  });

  test("of another content encoding is refused with 415, not taken for bad JSON", async () => {
    const { fire } = await scene();
    for (const encoding of ["gzip", "br", "x, identity"]) {
      expect(await fire({}, { "Content-Encoding": encoding })).toMatchObject({
        status: 415,
        body: { error: "Content-Encoding is not supported" },
      });
    }
    expect((await fire({}, { "Content-Encoding": "identity" })).status).toBe(200);
  });

  test("of over 16 KiB is refused with 413, declared or streamed", async () => {
    const { fire, token } = await scene();
    const refusal = { status: 413, body: { error: "Request body too large" } };
    expect(
      await fire({ padding: "x".repeat(16 * 1024) }, { "Content-Length": "17000" }),
    ).toMatchObject(refusal);
    const streamed = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(4096)),
    });
    expect(
      await call("/trigger", {
        method: "POST",
        headers: { Authorization: `Bearer ${token}` },
        body: streamed,
        duplex: "half",
      }),
    ).toMatchObject(refusal);
  });

  test("that begins with a byte order mark is read, declared or streamed", async () => {
    const { pointSystemId, token, wallet } = await scene();
    const body = Buffer.from(
      `\ufeff${JSON.stringify({ triggerKey: "daily_login", walletAddress: wallet, pointSystemId })}`,
    );
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const declared = { ...headers, "Content-Length": String(body.byteLength) };
    for (const sent of [declared, headers]) {
      const { status } = await call("/trigger", { method: "POST", headers: sent, body });
      expect(status).toBe(200);
    }
  });

  test("of exactly 16 KiB is taken", async () => {
    const { fire, pointSystemId, wallet } = await scene();
    const fields = { triggerKey: "daily_login", walletAddress: wallet, pointSystemId, padding: "" };
    const padding = "x".repeat(16 * 1024 - JSON.stringify(fields).length);
    expect((await fire({ padding })).status).toBe(200);
  });
});

describe("403 and 404", () => {
  test("a trigger key that matches no trigger exactly answers 404", async () => {
    const { fire } = await scene();
    for (const triggerKey of ["nope", "Daily_Login", "daily_login ", "\u0000", "x".repeat(5_000)]) {
      expect(await fire({ triggerKey })).toMatchObject({
        status: 404,
        body: { error: "Trigger not found" },
      });
    }
  });

  test("an inactive trigger is refused with 403 and credits nothing", async () => {
    const { wallet, fire, pointsOf } = await scene({ trigger: { isActive: false } });
    expect(await fire()).toMatchObject({ status: 403, body: { error: "Trigger is inactive" } });
    expect(await pointsOf(wallet)).toBe(0);
  });

  test("a blacklisted wallet is refused with 403, also one that has no entry", async () => {
    const known = createAddress();
    const unknown = createAddress();
    const { fire, pointsOf } = await scene({
      events: [{ address: known, points: 5 }],
      blacklist: [{ address: known }, { address: unknown }],
    });
    for (const walletAddress of [known, unknown]) {
      expect(await fire({ walletAddress })).toMatchObject({
        status: 403,
        body: { error: "Wallet is blacklisted" },
      });
    }
    expect(await pointsOf(known)).toBe(5);
    expect(await pointsOf(unknown)).toBe(0);
  });

  test("an inactive trigger is reported before a blacklisted wallet", async () => {
    const address = createAddress();
    const { fire } = await scene({ trigger: { isActive: false }, blacklist: [{ address }] });
    expect((await fire({ walletAddress: address })).body.code).toBe("trigger_inactive");
  });
});

describe("the limit of 10 a minute", () => {
  test("admits exactly 10 of 200 calls at once, and says when the next one is admitted", async () => {
    const { fire, wallet, pointsOf } = await scene();
    const answers = await Promise.all(Array.from({ length: 200 }, () => fire()));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(190);
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429);
      expect(body.error).toBe("Rate limit exceeded");
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(59);
      expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(60);
    }
    expect(await pointsOf(wallet)).toBe(100);
  });

  const readRoom = ({ headers }: Answer) => {
    expect(headers.get("ratelimit-policy")).toBe('"trigger";q=10;w=60');
    const [, left, seconds] =
      /^"trigger";r=(\d+);t=(\d+)$/.exec(headers.get("ratelimit") ?? "") ?? [];
    return { left: Number(left), seconds: Number(seconds) };
  };

  test("stands in RateLimit of each credit, and of the refusal", async () => {
    const { fire, pointSystemId } = await scene();
    expect(readRoom(await fire())).toEqual({ left: 9, seconds: 60 });
    await age(pointSystemId, 20);
    for (let left = 8; left >= 0; left -= 1) {
      const room = readRoom(await fire());
      expect(room.left).toBe(left);
      expect(room.seconds).toBeLessThanOrEqual(40);
      expect(room.seconds).toBeGreaterThan(0);
    }
    const refused = await fire();
    expect(readRoom(refused)).toEqual({
      left: 0,
      seconds: Number(refused.headers.get("retry-after")),
    });
  });

  test("gives credits that arrive together each its own place in RateLimit", async () => {
    const { fire } = await scene();
    const answers = await Promise.all(Array.from({ length: 14 }, () => fire()));
    const credited = answers.filter(({ status }) => status === 200).map(readRoom);
    expect(credited.map(({ left }) => left).toSorted((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(readRoom(answer).left).toBe(0);
    }
  });

  test("is in no header of a call that was not counted against it", async () => {
    const { fire } = await scene();
    await fire({}, { "Idempotency-Key": "once" });
    for (const answer of [
      await fire({}, { "Idempotency-Key": "once" }),
      await fire({ triggerKey: "nope" }),
      await fire({ walletAddress: "0x1" }),
    ]) {
      expect(answer.headers.has("ratelimit")).toBe(false);
      expect(answer.headers.has("ratelimit-policy")).toBe(false);
    }
  });

  test("is a limit of its own for each key, wallet and trigger", async () => {
    const { fire, pointSystemId, addKey } = await scene();
    await Promise.all(Array.from({ length: 10 }, () => fire()));
    expect((await fire()).status).toBe(429);
    expect((await fire({ walletAddress: createAddress() })).status).toBe(200);
    const otherKey = await addKey("trigger", [pointSystemId]);
    expect((await fire({}, { Authorization: `Bearer ${otherKey}` })).status).toBe(200);
  });

  test("slides: a call is admitted once the oldest of the last ten is 60 s old", async () => {
    const { fire, pointSystemId } = await scene();
    await fire();
    await age(pointSystemId, 58.5);
    await Promise.all(Array.from({ length: 9 }, () => fire()));
    const refused = await fire();
    expect(refused.status).toBe(429);
    const retryAfterSeconds = Number(refused.headers.get("retry-after"));
    expect(retryAfterSeconds).toBeLessThanOrEqual(2);
    await sleep(retryAfterSeconds * 1_000);
    expect((await fire()).status).toBe(200);
    expect((await fire()).status).toBe(429);
  });

  test("holds for a wallet whose last credit was long ago", async () => {
    const { fire, pointSystemId } = await scene();
    await fire();
    await age(pointSystemId, 3_600);
    for (let i = 0; i < 10; i += 1) expect((await fire()).status).toBe(200);
    expect((await fire()).status).toBe(429);
  });

  test("counts admitted credits only: a refused call makes nobody wait longer", async () => {
    const { fire, pointSystemId } = await scene();
    await Promise.all(Array.from({ length: 10 }, () => fire()));
    for (let i = 0; i < 5; i += 1) expect((await fire()).status).toBe(429);
    await age(pointSystemId, 60);
    const answers = await Promise.all(Array.from({ length: 10 }, () => fire()));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });
});

describe("Idempotency-Key", () => {
  test("100 calls at once with one key credit once and answer alike", async () => {
    const { fire, wallet, pointsOf } = await scene();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fire({}, { "Idempotency-Key": "order-1" })),
    );
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const replayed = answers.filter(({ headers }) => headers.has("idempotent-replayed"));
    expect(replayed).toHaveLength(99);
    expect(await pointsOf(wallet)).toBe(10);
  });

  test("repeats the first answer though the trigger was changed or switched off since", async () => {
    const { fire, pointSystemId, wallet, pointsOf } = await scene();
    const first = await fire({}, { "Idempotency-Key": "a" });
    await withDatabase((db) =>
      db.execute(sql`update triggers set points = 99, is_active = false
        where point_system_id = ${pointSystemId}`),
    );
    const second = await fire({}, { "Idempotency-Key": "a" });
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    expect(await pointsOf(wallet)).toBe(10);
  });

  test("of another body answers 409 and credits nothing", async () => {
    const { fire, wallet, pointsOf } = await scene();
    await fire({}, { "Idempotency-Key": "a" });
    const other = createAddress();
    expect(await fire({ walletAddress: other }, { "Idempotency-Key": "a" })).toMatchObject({
      status: 409,
      body: { error: "Idempotency-Key already used with another request" },
    });
    expect(await pointsOf(other)).toBe(0);
    expect(await pointsOf(wallet)).toBe(10);
  });

  test("belongs to its point system: the same one is free in another", async () => {
    const here = await scene();
    const there = await scene();
    const token = await here.addKey("trigger", [here.pointSystemId, there.pointSystemId]);
    const headers = { Authorization: `Bearer ${token}`, "Idempotency-Key": "a" };
    expect((await here.fire({}, headers)).status).toBe(200);
    const elsewhere = await here.fire({ pointSystemId: there.pointSystemId }, headers);
    expect(elsewhere.status).toBe(200);
    expect(elsewhere.headers.has("idempotent-replayed")).toBe(false);
    expect(await there.pointsOf(here.wallet)).toBe(10);
  });

  test("belongs to its API key: another key may use the same one", async () => {
    const { fire, addKey, pointSystemId, wallet, pointsOf } = await scene();
    const otherToken = await addKey("trigger", [pointSystemId]);
    await fire({}, { "Idempotency-Key": "a" });
    const other = await fire({}, { "Idempotency-Key": "a", Authorization: `Bearer ${otherToken}` });
    expect(other.headers.has("idempotent-replayed")).toBe(false);
    expect(await pointsOf(wallet)).toBe(20);
  });

  test("of a call that was refused stays free for the call that succeeds", async () => {
    const { fire } = await scene();
    const headers = { "Idempotency-Key": "a" };
    expect((await fire({ triggerKey: "nope" }, headers)).status).toBe(404);
    expect((await fire({}, headers)).status).toBe(200);
  });

  test("does not count against the limit when it repeats", async () => {
    const { fire } = await scene();
    await Promise.all(Array.from({ length: 9 }, () => fire()));
    await fire({}, { "Idempotency-Key": "a" });
    expect((await fire({}, { "Idempotency-Key": "a" })).status).toBe(200);
    expect((await fire()).status).toBe(429);
  });

  test("takes 1 to 255 printable characters, quotes and backslashes among them", async () => {
    const { fire } = await scene();
    for (const key of ['"quoted", {braced}', "back\\slash", "x".repeat(255)]) {
      const first = await fire({}, { "Idempotency-Key": key });
      expect(first.status).toBe(200);
      expect(first.headers.has("idempotent-replayed")).toBe(false);
      const second = await fire({}, { "Idempotency-Key": key });
      expect(second.headers.get("idempotent-replayed")).toBe("true");
    }
    for (const key of ["", "x".repeat(256), "caf\u00e9", "tab\tbed"]) {
      expect(await fire({}, { "Idempotency-Key": key })).toMatchObject({
        status: 400,
        body: { error: "Invalid Idempotency-Key" },
      });
    }
  });
});

test("every method but POST answers 405, and which one is allowed", async () => {
  for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const { status, headers, body } = await call("/trigger", { method });
    expect(status).toBe(405);
    expect(headers.get("allow")).toBe("POST");
    expect(body.error).toBe("Method not allowed");
  }
});
