import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { PROSE } from "../../../app/api/document/prose";
import { API_ENDPOINTS, isManagePath, type ManagePath } from "../../../app/api/endpoints";
import { generateApiKeyToken } from "../../../app/domain/access/api-key";
import { EXAMPLE } from "../../../app/domain/reference/example";
import { transferOwnership } from "../../../app/services/accounts/memberships";
import { type Answer, call } from "../../support/call";
import { callManage, createKey, manageScene } from "../../support/manage";
import { createMember, createOwner } from "../../support/operators";

const PATHS = (Object.keys(API_ENDPOINTS) as ManagePath[]).filter(isManagePath);
const OF_SYSTEM = PATHS.filter((path) => "pointSystemId" in PROSE[path].request(EXAMPLE));

const REFUSED = { status: 403, body: { code: "point_system_out_of_scope" } };

type Scene = Awaited<ReturnType<typeof manageScene>>;
let s: Scene;
beforeAll(async () => {
  s = await manageScene();
});

/** Calls an operation with the documented example of its input, in a point system. */
const callExample = (path: ManagePath, token: string, pointSystemId: string) =>
  callManage(token, path.slice("manage/v1/".length), {
    ...PROSE[path].request({ ...EXAMPLE, pointSystemId }),
  });

describe.each(PATHS)("/api/%s", (path) => {
  const { method } = API_ENDPOINTS[path];

  test("refuses a call without a key, a wrong key and a wrong method", async () => {
    expect(await call(`/api/${path}`, { method })).toMatchObject({ status: 401 });
    const answer = await callExample(path, generateApiKeyToken(), s.pointSystemId);
    expect(answer).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
    const other = method === "GET" ? "POST" : "GET";
    expect(await call(`/api/${path}`, { method: other })).toMatchObject({ status: 405 });
  });

  test.each(["trigger", "read", "all"] as const)(
    "refuses the permission %s, before it looks at the input",
    async (permission) => {
      const { token } = await createKey(s.owner, permission, [s.pointSystemId]);
      const headers = { Authorization: `Bearer ${token}` };
      const body = method === "POST" ? "no json" : null;
      expect(await call(`/api/${path}`, { method, headers, body })).toMatchObject({
        status: 403,
        body: {
          error: "This API key does not have manage permissions",
          message: "This API key does not have manage permissions",
          code: "manage_permission_missing",
        },
      });
    },
  );

  test.skipIf(method === "GET" || Object.keys(PROSE[path].request(EXAMPLE)).length === 0)(
    "refuses a body without its fields by name",
    async () => {
      const { status, body } = await callManage(
        s.key.token,
        path.slice("manage/v1/".length),
        OF_SYSTEM.includes(path) ? { pointSystemId: s.pointSystemId, name: 5, id: 5 } : {},
      );
      expect([status, body.code]).toEqual([400, "invalid_field"]);
      expect(body.message).toMatch(/^Invalid field \w+: ./);
    },
  );
});

test.each(OF_SYSTEM)("/api/%s reaches no other point system than the key's", async (path) => {
  const other = await createOwner();
  expect(await callExample(path, s.key.token, other.pointSystemId)).toMatchObject(REFUSED);
  expect(await callExample(path, s.key.token, randomUUID())).toMatchObject(REFUSED);
  expect(await callExample(path, s.key.token, "abc")).toMatchObject(REFUSED);
});

test("a large body of a call without a good key is not read", async () => {
  let chunks = 0;
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1;
      controller.enqueue(new Uint8Array(64 * 1024));
      if (chunks === 100) controller.close();
    },
  });
  const headers = { Authorization: `Bearer ${generateApiKeyToken()}` };
  const request = { method: "POST", headers, body, duplex: "half" as const };
  expect(await call("/api/manage/v1/imports/upload", request)).toMatchObject({ status: 401 });
  expect(chunks).toBeLessThan(5);
});

test("an operator's keys together take two places for uploads, and leave the others to other operators", async () => {
  const endings: (() => void)[] = [];
  const answers: Promise<Answer>[] = [];
  /** Begins an upload of unknown length, and waits until its body is read or it is refused. */
  const begin = ({ token }: { token: string }) =>
    new Promise<void>((isUnderWay) => {
      const body = new ReadableStream(
        {
          pull(controller) {
            endings.push(() => controller.close());
            isUnderWay();
            return new Promise(() => {});
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { Authorization: `Bearer ${token}` };
      const request = { method: "POST", headers, body, duplex: "half" as const };
      const answer = call("/api/manage/v1/imports/upload", request);
      answers.push(answer);
      answer.then(() => isUnderWay());
    });
  for (let n = 0; n < 4; n++) {
    const key = await createKey(s.owner, "manage", [s.pointSystemId]);
    await begin(key);
    await begin(key);
  }
  const held = endings.length;
  await begin((await manageScene()).key);
  for (const end of endings) end();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect([held, statuses]).toEqual([2, [400, 400, 503, 503, 503, 503, 503, 503, 400]]);
});

test("a key that manages neither credits nor reads", async () => {
  const { pointSystemId, key } = await manageScene();
  const headers = { Authorization: `Bearer ${key.token}`, "Content-Type": "application/json" };
  expect(await call(`/leaderboard?pointSystemId=${pointSystemId}`, { headers })).toMatchObject({
    status: 403,
    body: { code: "read_permission_missing" },
  });
  const body = JSON.stringify({ pointSystemId, triggerKey: "x", walletAddress: EXAMPLE.wallet });
  expect(await call("/trigger", { method: "POST", headers, body })).toMatchObject({
    status: 403,
    body: { code: "trigger_permission_missing" },
  });
});

test("only an owner makes a key that manages a point system, editors do not", async () => {
  const owner = await createOwner();
  const editor = await createMember(owner, "editor");
  const made = createKey(editor, "manage", [owner.pointSystemId]);
  await expect(made).rejects.toMatchObject({ code: "manage_key_needs_owner" });
  await expect(createKey(editor, "all", [owner.pointSystemId])).resolves.toBeDefined();
});

test("a key manages nothing more of a point system that its operator gave away", async () => {
  const { owner, pointSystemId, send } = await manageScene();
  const heir = await createMember(owner, "editor");
  expect((await send("point-system")).status).toBe(200);
  await transferOwnership(owner, heir.actor.operatorId, "Alpha");
  expect(await send("point-system")).toMatchObject(REFUSED);
  expect(await send("triggers/delete", { pointSystemId, key: "x" })).toMatchObject(REFUSED);
});
