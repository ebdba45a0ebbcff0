import { once } from "node:events";
import net from "node:net";
import postgres from "postgres";
import { afterAll, expect, inject, test } from "vitest";
import { closeDatabase, getDatabaseOptions, openDatabase } from "../../../app/db/client";
import { hasChangedNothing, isDatabaseAway, isDatabaseUnavailable } from "../../../app/db/errors";
import type { DatabaseAddress } from "../../../app/db/pool";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { Failure } from "../../../app/domain/failure";
import { fireTrigger } from "../../../app/services/ledger/credit";
import { createAddress, scene } from "../../support/scene";
import { database, other, waitForLocks } from "../../support/test-database";

const admin = postgres({ ...inject("cluster"), database: "postgres", max: 1, onnotice: () => {} });
afterAll(() => admin.end({ timeout: 1 }));

/** Creates an error as postgres.js gives it to a statement. */
const createError = (code: string, more: object = {}) =>
  Object.assign(new Error(code), { code, query: "select", ...more });

const UNSENT = { isUnavailable: true, isNothingChanged: true };
const UNKNOWN = { isUnavailable: true, isNothingChanged: false };
const judge = (error: unknown) => ({
  isUnavailable: isDatabaseUnavailable(error),
  isNothingChanged: hasChangedNothing(error),
});

test.each([
  ["a password that was changed", createError("28P01")],
  ["a role that may not log in", createError("28000")],
  ["a database that is gone", createError("3D000")],
  ["a certificate that is not trusted", createError("DEPTH_ZERO_SELF_SIGNED_CERT")],
  ["a certificate that has expired", createError("CERT_HAS_EXPIRED")],
  ["another server's certificate", createError("ERR_TLS_CERT_ALTNAME_INVALID")],
  ["no local port", createError("EADDRNOTAVAIL", { syscall: "connect" })],
  ["a connection that takes too long", createError("ETIMEDOUT", { syscall: "connect" })],
  [
    "several addresses that lead nowhere",
    Object.assign(new AggregateError([]), { code: "EADDRNOTAVAIL", query: "select" }),
  ],
])("%s fails a connection, and nothing was sent", (_, error) => {
  expect(judge(error)).toEqual(UNSENT);
  expect(judge(new Failure("service_unavailable", { cause: error }))).toEqual(UNSENT);
});

test.each([
  createError("EPROTO", { syscall: "write" }),
  createError("ECONNABORTED", { syscall: "read" }),
  createError("EBADF", { syscall: "read" }),
  createError("EPIPE", { syscall: "write" }),
  createError("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC", { library: "SSL routines" }),
  createError("ERR_STREAM_WRITE_AFTER_END"),
])("after a statement's socket failed with $code, its outcome is unknown", (error) => {
  expect(judge(error)).toEqual(UNKNOWN);
});

test("an error of the program or of another file or socket is none of the database", () => {
  const errors = [
    new TypeError("x is not a function"),
    Object.assign(new TypeError("x"), { code: "ERR_INVALID_ARG_TYPE", query: "select" }),
    createError("UNDEFINED_VALUE"),
    createError("42P01"),
    Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "write" }),
    Object.assign(new Error("fetch failed"), { code: "CERT_HAS_EXPIRED" }),
  ];
  expect(errors.map(isDatabaseUnavailable)).toEqual(errors.map(() => false));
});

test("a start waits for no database that refuses its login or its certificate", () => {
  const codes = ["28P01", "3D000", "CERT_HAS_EXPIRED", "ERR_SSL_WRONG_VERSION_NUMBER"];
  expect(codes.map((code) => isDatabaseAway(createError(code)))).toEqual(codes.map(() => false));
  expect(isDatabaseAway(createError("ECONNREFUSED"))).toBe(true);
});

/** Prepares a point system, and a function that credits one of its wallets. */
async function startLedger() {
  const { pointSystemId, token, triggerKey, pointsOf } = await scene();
  const walletAddress = createAddress();
  const give = () =>
    fireTrigger(
      { tokenHash: hashApiKeyToken(token) },
      {
        ...{ pointSystemId, triggerKey, walletAddress, idempotencyKey: null, points: null },
        ...{ areFixedPointsStrict: false, occurredAt: null, metadata: null },
      },
    );
  return { pointSystemId, give, readPoints: () => pointsOf(walletAddress) };
}

// Citus has the database on several nodes.
test.skipIf(inject("workers").length > 0)(
  "a credit that meets a database which is gone is not credited, and says so",
  async () => {
    const { give, readPoints } = await startLedger();
    await give();
    const { database: name } = database;
    await admin`
      select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`;
    await admin.unsafe(`alter database ${name} rename to ${name}_away`);
    const refused = await give().catch((error) => error);
    await admin.unsafe(`alter database ${name}_away rename to ${name}`);
    expect(refused).toMatchObject({ code: "not_credited" });
    await give();
    expect(await readPoints()).toBe(20);
  },
);

test("a credit whose socket fails in the midst of its statement is settled and credited once", async () => {
  const options = getDatabaseOptions();
  const sockets: net.Socket[] = [];
  const connect = async () => {
    const { host, port } = inject("cluster");
    const path = `${host}/.s.PGSQL.${port}`;
    const socket = host.startsWith("/") ? net.connect(path) : net.connect(port, host);
    await once(socket, "connect");
    sockets.push(socket);
    return socket;
  };
  await closeDatabase();
  const address = { ...(options.address as object), socket: connect } as DatabaseAddress;
  openDatabase({ ...options, address });
  const { pointSystemId, give, readPoints } = await startLedger();
  const credit = await other.begin(async (tx) => {
    await tx`select lock_ledger(${pointSystemId})`;
    const given = give();
    await waitForLocks();
    for (const socket of sockets) {
      socket.destroy(Object.assign(new Error("EPROTO"), { code: "EPROTO", syscall: "write" }));
    }
    return { given };
  });
  expect(await credit.given).toMatchObject({ pointsAdded: 10, isReplayed: false });
  expect(await readPoints()).toBe(10);
  await closeDatabase();
  openDatabase(options);
});
