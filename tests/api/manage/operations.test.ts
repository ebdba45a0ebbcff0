import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createEventId } from "../../../app/domain/ledger/event-id";
import { getPointSystem } from "../../../app/services/point-systems/point-systems";
import { getTrigger } from "../../../app/services/point-systems/triggers";
import { call } from "../../support/call";
import { callManage, createKey, manageScene } from "../../support/manage";
import { createOwner } from "../../support/operators";
import { createAddress } from "../../support/scene";

const ACTOR = "API key deploy";
const invalid = (message: string) => ({
  status: 400,
  body: { error: message, message, code: "invalid_field" },
});

test("point systems are made, listed, read and changed as the forms do", async () => {
  const { key, owner, pointSystemId, send, newestAudit } = await manageScene();
  const slug = `spring-${randomUUID().slice(0, 8)}`;
  const made = await callManage(key.token, "point-systems/create", { name: " Spring ", slug });
  expect(made).toMatchObject({ status: 200 });
  const { id } = made.body;
  const audit = { actor: ACTOR, action: "point_system.create", subject: "Spring" };
  expect(await newestAudit(id)).toMatchObject({ ...audit, after: { name: "Spring", slug } });

  const list = await callManage(key.token, "point-systems", {});
  expect(list.body.pointSystems.map((each: { id: string }) => each.id)).toEqual([
    id,
    pointSystemId,
  ]);
  expect(await send("point-system", { pointSystemId: id })).toMatchObject({
    status: 200,
    body: { id, name: "Spring", slug, wallets: 0 },
  });

  expect(await send("point-systems/update", { name: "Alpha", slug })).toMatchObject({
    status: 409,
    body: { code: "slug_taken" },
  });
  expect(await send("point-systems/update", { name: "", slug: null })).toMatchObject(
    invalid("Invalid field name: Enter a name"),
  );
  expect(await send("point-systems/update", { name: "Beta" })).toMatchObject({ status: 200 });
  expect(await getPointSystem(owner)).toMatchObject({ name: "Beta", slug: null });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "point_system.update" });
});

test("a key lists the point systems of its scope, and no others of its operator", async () => {
  const { key, owner, pointSystemId } = await manageScene();
  const outside = await callManage(
    (await createKey(owner, "manage", [pointSystemId])).token,
    "point-systems/create",
    { name: "Other" },
  );
  expect(outside.status).toBe(200);
  const { body } = await callManage(key.token, "point-systems", {});
  expect(body.pointSystems).toMatchObject([{ id: pointSystemId }]);
});

test("triggers are made, changed, switched and deleted as the forms do", async () => {
  const { owner, send, newestAudit } = await manageScene();
  const fields = { key: "Daily Login", name: "Daily", points: 10 };
  expect(await send("triggers/create", fields)).toMatchObject({
    status: 200,
    body: { key: "daily_login" },
  });
  expect(await newestAudit()).toMatchObject({
    actor: ACTOR,
    ip: expect.stringMatching(/^10\./),
    action: "trigger.create",
    subject: "daily_login",
    after: { name: "Daily", points: 10 },
  });
  expect(await send("triggers/create", fields)).toMatchObject({
    status: 409,
    body: { code: "trigger_key_taken", error: "The trigger “Daily” already uses this key" },
  });
  const key = "daily_login";
  const change = { key, name: "Daily", points: 5, variable: { min: 6, max: 9 } };
  expect(await send("triggers/update", change)).toMatchObject(
    invalid("Invalid field points: Enter at least the minimum points"),
  );
  expect((await send("triggers/update", { ...change, points: 7 })).status).toBe(200);
  expect(await getTrigger(owner, key)).toMatchObject({ points: 7, variable: { min: 6, max: 9 } });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "trigger.update" });
  expect((await send("triggers/switch", { key, isActive: false })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, after: { isActive: false } });
  expect(await send("triggers")).toMatchObject({ body: { triggers: [{ key, isActive: false }] } });
  expect((await send("triggers/delete", { key })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "trigger.delete" });
  for (const operation of ["triggers/delete", "triggers/switch", "triggers/update"]) {
    expect(await send(operation, { ...change, points: 7, isActive: true })).toMatchObject({
      status: 404,
      body: { code: "not_found" },
    });
  }
});

test("boards are made, listed, changed, ended and deleted as the forms do", async () => {
  const { send, newestAudit } = await manageScene();
  const season = { startsAt: "2026-01-01T00:00:00.000Z", endsAt: "2100-01-01T00:00:00.000Z" };
  const shared = { name: "Spring", isPublic: true, timeZone: "Europe/Berlin" };
  const made = { kind: "season", slug: "spring", ...shared, ...season };
  expect(await send("boards/create", made)).toMatchObject({
    status: 200,
    body: { board: "season:spring" },
  });
  expect(await newestAudit()).toMatchObject({
    ...{ actor: "API key deploy", action: "board.create", subject: "spring" },
    after: { name: "Spring", timeZone: "Europe/Berlin", isPublic: true, ...season },
  });
  expect((await send("boards/create", made)).body.code).toBe("board_taken");
  for (const wrong of [
    { ...made, slug: "b", endsAt: season.startsAt },
    { ...made, slug: "b", startsAt: null },
    { ...made, slug: null },
    { ...made, slug: "b", timeZone: "Mars/Phobos" },
    { ...made, slug: "b", kind: "yearly" },
  ]) {
    expect((await send("boards/create", wrong)).body.code).toBe("invalid_field");
  }
  expect((await send("boards/create", { kind: "weekly", ...shared })).status).toBe(200);
  expect((await send("boards")).body.boards).toMatchObject([
    {
      board: "weekly",
      kind: "weekly",
      state: "open",
      window: expect.stringMatching(/^\d{4}-W\d\d$/),
    },
    { board: "season:spring", ...shared, ...season, kind: "season", state: "open", window: null },
  ]);
  const change = { board: "season:spring", name: "Late spring", isPublic: false, ...season };
  expect((await send("boards/update", change)).status).toBe(200);
  const moved = { ...change, startsAt: "2026-02-01T00:00:00.000Z" };
  expect((await send("boards/update", moved)).body.code).toBe("board_begun");
  expect((await send("boards/update", { ...change, board: "all-time" })).body.code).toBe(
    "not_found",
  );
  expect((await send("boards/end", { board: "season:spring" })).status).toBe(200);
  expect((await send("boards/end", { board: "season:spring" })).body.code).toBe("board_ended");
  expect((await send("boards/update", change)).body.code).toBe("board_ended");
  expect((await send("boards")).body.boards[1]).toMatchObject({
    name: "Late spring",
    state: "ended",
  });
  expect((await send("boards/delete", { board: "season:spring" })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ action: "board.delete", subject: "spring" });
  expect((await send("boards/delete", { board: "season:spring" })).body.code).toBe("not_found");
  for (let i = 1; i < 10; i += 1) {
    expect((await send("boards/create", { ...made, slug: `s${i}` })).status).toBe(200);
  }
  expect((await send("boards/create", made)).body.code).toBe("too_many_boards");
});

test("keys are made, listed and revoked within the scope of the key that calls", async () => {
  const { key, owner, pointSystemId, send, newestAudit } = await manageScene();
  const make = (fields: object) =>
    callManage(key.token, "keys/create", {
      name: "backend",
      permission: "read",
      pointSystemIds: [pointSystemId],
      ...fields,
    });
  const made = await make({ expires: "2999-01-31" });
  expect(made.status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "api_key.create" });
  const headers = { Authorization: `Bearer ${made.body.key}` };
  const readBoard = () => call(`/leaderboard?pointSystemId=${pointSystemId}`, { headers });
  expect((await readBoard()).status).toBe(200);

  // Keys that manage, as the one that calls, are not shown.
  expect((await send("keys")).body.keys).toEqual([
    expect.objectContaining({
      id: made.body.id,
      permission: "read",
      expiresAt: "2999-01-31T23:59:59.999Z",
    }),
  ]);
  expect(JSON.stringify((await send("keys")).body)).not.toContain(made.body.key);
  expect((await make({ id: made.body.id })).body.code).toBe("api_key_exists");
  expect(await make({ expires: "2001-01-01" })).toMatchObject(
    invalid("Invalid field expires: Enter today or a later date"),
  );
  expect(await make({ permission: "manage" })).toMatchObject({
    status: 403,
    body: { code: "manage_key_refused" },
  });

  const other = await createOwner();
  expect((await make({ pointSystemIds: [other.pointSystemId] })).body.code).toBe(
    "point_system_out_of_scope",
  );
  const second = await createKey(owner, "manage", [pointSystemId], "second");
  const wider = await callManage(second.token, "point-systems/create", { name: "Wider" });
  const wide = await createKey(owner, "read", [pointSystemId, wider.body.id], "wide");
  const revoke = (id: string) => callManage(key.token, "keys/revoke", { id });
  expect((await revoke(wide.id)).body.code).toBe("point_system_out_of_scope");
  expect((await revoke(second.id)).body.code).toBe("manage_key_refused");
  expect((await revoke(randomUUID())).body.code).toBe("not_found");
  expect((await revoke(made.body.id)).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "api_key.delete" });
  expect((await readBoard()).status).toBe(401);
});

test("wallets are blacklisted, listed by page and restored", async () => {
  const { send, newestAudit } = await manageScene();
  const wallets = Array.from({ length: 60 }, () => ({ walletAddress: createAddress() }));
  const [first] = wallets as [{ walletAddress: string }];
  const added = await send("blacklist/add", {
    wallets: [
      { walletAddress: first.walletAddress.toUpperCase().replace("X", "x"), reason: "Bots" },
      ...wallets,
    ],
  });
  expect(added).toMatchObject({ status: 200, body: { added: 60 } });
  expect(await newestAudit()).toMatchObject({
    actor: ACTOR,
    action: "blacklist.add",
    subject: "60 addresses",
  });
  const page = await send("blacklist");
  expect(page.body.wallets).toHaveLength(50);
  const rest = await send("blacklist", { older: page.body.older });
  expect(rest.body).toMatchObject({ older: null });
  const listed = [...page.body.wallets, ...rest.body.wallets];
  expect(new Set(listed.map(({ address }) => address)).size).toBe(60);
  expect(listed).toContainEqual(
    expect.objectContaining({ address: first.walletAddress, reason: "Bots" }),
  );
  expect((await send("blacklist", { older: "x" })).body.code).toBe("invalid_field");
  const removal = { walletAddresses: [first.walletAddress, first.walletAddress] };
  expect(await send("blacklist/remove", removal)).toMatchObject({ body: { removed: 1 } });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "blacklist.remove" });
  expect(await send("blacklist/remove", removal)).toMatchObject({ body: { removed: 0 } });
});

test("a grant is refused the id of a trigger's event, of which a void would hide both", async () => {
  const { owner, pointSystemId, send } = await manageScene();
  const { token } = await createKey(owner, "all", [pointSystemId], "backend");
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const walletAddress = createAddress();
  await send("triggers/create", { name: "Login", key: "login", points: 10 });
  const credit = JSON.stringify({ triggerKey: "login", walletAddress, pointSystemId });
  expect((await call("/trigger", { method: "POST", headers, body: credit })).status).toBe(200);
  const readEvents = async () =>
    (await call(`/activity?pointSystemId=${pointSystemId}`, { headers })).body.activity;
  const [{ id }] = await readEvents();

  const grant = { walletAddress, points: 5, id };
  expect((await send("grants/create", grant)).body.code).toBe("form_already_sent");
  expect((await send("grants/create", { ...grant, id: id.toUpperCase() })).status).toBe(409);
  const own = await send("grants/create", { ...grant, id: createEventId() });
  expect(own.status).toBe(200);
  expect((await send("grants/create", { ...grant, id: own.body.id })).status).toBe(200);
  expect(await readEvents()).toHaveLength(2);
});

test("a grant counts once by its id, and its event is voided once", async () => {
  const { owner, pointSystemId, send, newestAudit } = await manageScene();
  const walletAddress = createAddress();
  const id = randomUUID();
  const grant = { walletAddress, points: 500, note: "Quiz", id };
  expect(await send("grants/create", grant)).toMatchObject({ status: 200, body: { id } });
  expect(await newestAudit()).toMatchObject({
    actor: ACTOR,
    action: "wallet.grant",
    subject: walletAddress,
    after: { points: 500, note: "Quiz" },
  });
  expect(await send("grants/create", grant)).toMatchObject({ status: 200, body: { id } });
  expect((await send("grants/create", { ...grant, points: 5 })).body.code).toBe(
    "form_already_sent",
  );
  expect(await send("grants/create", { ...grant, note: "a\nb" })).toMatchObject(
    invalid("Invalid field note: Use one line of text"),
  );

  const { token } = await createKey(owner, "read", [pointSystemId], "reader");
  const headers = { Authorization: `Bearer ${token}` };
  const readEvents = async () =>
    (await call(`/activity?pointSystemId=${pointSystemId}`, { headers })).body.activity;
  const [event] = await readEvents();
  expect(event).toMatchObject({ id, points: 500, address: walletAddress });
  const place = { eventId: event.id, date: event.date };
  expect(await send("voids/create", { ...place, note: "Twice" })).toMatchObject({
    status: 200,
    body: { walletAddress, points: 500 },
  });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "event.void", subject: id });
  expect(await readEvents()).toEqual([]);
  expect((await send("voids/create", place)).body.code).toBe("event_voided");
  expect((await send("voids/create", { ...place, eventId: randomUUID() })).body.code).toBe(
    "not_found",
  );
});

test.each([
  ["grants/create", "note", { walletAddress: createAddress(), points: 5, note: "\ud800" }],
  ["point-systems/update", "name", { name: "a\udfff", slug: null }],
  ["tiers/set", "tiers", { tiers: [{ name: "\ud800", pointsMin: 1, color: "#a05a2c" }] }],
  ["blacklist/add", "wallets", { wallets: [{ walletAddress: createAddress(), reason: "\ud800" }] }],
])("%s refuses half of a surrogate pair in %s", async (operation, field, input) => {
  const { send } = await manageScene();
  expect(await send(operation, input)).toMatchObject(
    invalid(`Invalid field ${field}: Leave out U+0000 and halves of surrogate pairs`),
  );
});
