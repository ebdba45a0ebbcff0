import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { getCampaign } from "../../../app/services/campaigns/campaigns";
import { listWebhooks } from "../../../app/services/webhooks/webhooks";
import { createGiftCardKey, useGiftCardKeys } from "../../support/gift-cards";
import { manageScene } from "../../support/manage";
import { createAddress } from "../../support/scene";

const ACTOR = "API key deploy";

beforeAll(() => useGiftCardKeys(createGiftCardKey("k1")));

test("an import is uploaded, read, committed and undone as the forms do", async () => {
  const { send, newestAudit } = await manageScene();
  const [a, b] = [createAddress(), createAddress()];
  const csv = `\uFEFFwallet;points\n${a};100\n${b};75\nnobody;5\n`;
  const { status, body } = await send("imports/upload", { fileName: "season.csv", csv });
  expect(status).toBe(200);
  const importId = body.id;
  expect(await newestAudit()).toMatchObject({
    actor: ACTOR,
    action: "import.upload",
    subject: "season.csv",
  });
  const draft = await send("import", { importId });
  expect(draft.body).toMatchObject({
    import: { status: "draft", layout: { delimiter: "semicolon", hasHeader: true } },
    preview: {
      rows: 3,
      problemRows: 1,
      wallets: 2,
      points: 175,
      problems: [{ line: 4, problem: "address_malformed" }],
    },
  });
  const { layout } = draft.body.import;
  const swapped = { importId, ...layout, addressColumn: 1, pointsColumn: 1 };
  expect(await send("imports/layout", swapped)).toMatchObject({
    status: 400,
    body: { code: "invalid_field" },
  });
  expect((await send("imports/layout", { importId, ...layout })).status).toBe(200);
  expect((await send("imports/commit", { importId, wallets: 2, points: 174 })).body.code).toBe(
    "import_changed",
  );
  const { digest } = draft.body.preview;
  const commit = { importId, wallets: 2, points: 175, digest, note: "Spring" };
  expect((await send("imports/commit", { ...commit, digest: "another" })).body.code).toBe(
    "import_changed",
  );
  expect(await send("imports/commit", commit)).toMatchObject({ status: 200, body: { wallets: 2 } });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "import.commit" });
  expect((await send("imports/commit", commit)).body.code).toBe("import_moved_on");
  expect((await send("imports/discard", { importId })).body.code).toBe("import_moved_on");
  expect((await send("imports/retry", { importId })).body.code).toBe("import_moved_on");
  expect((await send("imports/undo", { importId })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "import.undo" });
  expect(await send("imports")).toMatchObject({
    body: { imports: [{ id: importId, status: "undoing", note: "Spring" }], older: null },
  });
});

test("an upload without rows, with a NUL or over its limit is refused, and a draft discarded", async () => {
  const { send, newestAudit } = await manageScene();
  const fileName = "rows.csv";
  expect((await send("imports/upload", { fileName, csv: " " })).body.code).toBe("invalid_field");
  expect((await send("imports/upload", { fileName, csv: "a\0b" })).body.code).toBe("invalid_field");
  const csv = "x".repeat(11 * 1024 * 1024);
  expect((await send("imports/upload", { fileName, csv })).body.code).toBe("body_too_large");
  const made = await send("imports/upload", { fileName, csv: `${createAddress()},5` });
  expect((await send("imports/discard", { importId: made.body.id })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "import.delete" });
  expect((await send("import", { importId: made.body.id })).body.code).toBe("not_found");
});

test("a draft that has too many rows without a header says so, before and at its commit", async () => {
  const { send } = await manageScene();
  const csv = `wallet,points\n${createAddress()},5\n${"a,1\n".repeat(249_999)}`;
  const importId = (await send("imports/upload", { fileName: "a", csv })).body.id;
  const layout = { delimiter: "comma", hasHeader: false, addressColumn: 0, pointsColumn: 1 };
  expect((await send("imports/layout", { importId, ...layout })).status).toBe(200);
  const read = await send("import", { importId });
  expect(read.body.preview).toMatchObject({ hasTooManyRows: true, unreadableFrom: null });
  const { wallets, points } = read.body.preview;
  expect((await send("imports/commit", { importId, wallets, points })).body.code).toBe(
    "import_too_many_rows",
  );
});

test("an upload whose name is blank keeps its rows", async () => {
  const { send } = await manageScene();
  const csv = `${createAddress()},5`;
  const { status, body } = await send("imports/upload", { fileName: " \n", csv });
  expect(status).toBe(200);
  expect((await send("import", { importId: body.id })).body).toMatchObject({
    import: { fileName: "Pasted rows" },
    preview: { points: 5 },
  });
});

test("a campaign is drafted, changed, published as it was read, and a draft deleted", async () => {
  const { owner, send, newestAudit } = await manageScene();
  const draft = {
    name: "Season one",
    tokenType: "ethereum",
    chainId: 84532,
    totalAmount: "1000.5",
    minPoints: 100,
    deadline: "2999-01-31T12:34:56.000Z",
  };
  const made = await send("campaigns/draft", draft);
  expect(made.status).toBe(200);
  const rewardId = made.body.id;
  expect(await newestAudit()).toMatchObject({
    actor: ACTOR,
    action: "campaign.create",
    subject: made.body.campaignId,
  });
  expect(await getCampaign(owner, rewardId)).toMatchObject({
    claimDeadline: new Date(draft.deadline),
    totalAmountWei: 1000500000000000000000n,
  });
  const refuse = async (fields: object) =>
    (await send("campaigns/change", { rewardId, ...draft, ...fields })).body.code;
  expect(await refuse({ totalAmount: "0" })).toBe("token_amount_invalid");
  expect(await refuse({ deadline: "2001-01-01T00:00:00Z" })).toBe("deadline_passed");
  expect(await refuse({ chainId: 1 })).toBe("invalid_field");
  expect(await refuse({ maxPoints: 99 })).toBe("invalid_field");
  expect(await refuse({ tokenType: "custom", tokenAddress: createAddress() })).toBe(
    "token_details_missing",
  );
  const pointsBoard = "season:winter";
  expect(await refuse({ pointsBoard })).toBe("board_not_found");
  expect(await refuse({ pointsAfter: rewardId })).toBe("points_campaign_unknown");
  expect(await refuse({ pointsBoard, pointsAfter: rewardId })).toBe("invalid_field");
  const seen = await send("campaign", { rewardId });
  expect(seen.body).toMatchObject({ ...draft, status: "draft", isSplit: false, onchainId: null });
  expect((await send("campaigns/change", { rewardId, ...draft, minPoints: 50 })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "campaign.update" });
  expect((await send("campaigns/publish", { rewardId, terms: seen.body.terms })).body.code).toBe(
    "campaign_changed",
  );
  const { terms } = (await send("campaign", { rewardId })).body;
  expect((await send("campaigns/publish", { rewardId, terms })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "campaign.publish" });
  expect(await send("campaigns")).toMatchObject({
    body: { campaigns: [{ id: rewardId, status: "active" }], older: null },
  });
  expect(await refuse({})).toBe("campaign_moved_on");
  expect((await send("campaigns/delete", { rewardId })).body.code).toBe("campaign_moved_on");
  const second = await send("campaigns/draft", { ...draft, deadline: null, pointsAfter: rewardId });
  expect((await send("campaign", { rewardId: second.body.id })).body).toMatchObject({
    pointsBoard: null,
    pointsAfter: rewardId,
  });
  expect((await send("campaigns/delete", { rewardId: second.body.id })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "campaign.delete" });
});

test("a webhook is made, switched, rotated, tested, replayed and deleted as the forms do", async () => {
  const { owner, send, newestAudit } = await manageScene();
  const id = randomUUID();
  const fields = { id, url: "https://example.com/hook", eventTypes: ["points.credited"] };
  const made = await send("webhooks/create", fields);
  expect(made).toMatchObject({
    status: 200,
    body: { id, secret: expect.stringMatching(/^whsec_/) },
  });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.create" });
  expect((await send("webhooks/create", fields)).body.code).toBe("webhook_exists");
  expect((await send("webhooks/create", { ...fields, url: "x" })).body.code).toBe("invalid_field");

  const webhookId = id;
  const list = await send("webhooks");
  expect(list.body.webhooks).toMatchObject([{ id, url: fields.url, offAt: null }]);
  expect(JSON.stringify(list.body)).not.toContain("whsec_");
  const changed = { url: "https://example.com/changed", eventTypes: ["points.voided"] };
  expect((await send("webhooks/update", { webhookId, ...changed, url: "x" })).body.code).toBe(
    "invalid_field",
  );
  expect((await send("webhooks/update", { webhookId, ...changed })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.update" });
  expect((await send("webhooks")).body.webhooks).toMatchObject([{ id, ...changed }]);
  const { secretMark } = list.body.webhooks[0];
  const rotated = await send("webhooks/rotate", { webhookId, secretMark });
  expect(rotated.body.secret).not.toBe(made.body.secret);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.rotate" });
  expect((await send("webhooks/rotate", { webhookId, secretMark })).body.code).toBe(
    "webhook_moved_on",
  );
  expect((await send("webhooks/test", { webhookId })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.test" });
  const since = "2026-01-01T00:00:00Z";
  expect(await send("webhooks/replay", { webhookId, since })).toMatchObject({
    body: { replayed: 0 },
  });
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.replay" });

  expect((await send("webhooks/switch", { webhookId, isOn: true })).body.code).toBe(
    "webhook_moved_on",
  );
  expect((await send("webhooks/switch", { webhookId, isOn: false })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.off" });
  expect((await send("webhooks/test", { webhookId })).body.code).toBe("webhook_off");
  expect((await send("webhooks/switch", { webhookId, isOn: true, from: "now" })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.on" });
  expect((await send("webhooks/delete", { webhookId })).status).toBe(200);
  expect(await newestAudit()).toMatchObject({ actor: ACTOR, action: "webhook.delete" });
  expect(await listWebhooks(owner)).toEqual([]);
  for (const operation of ["update", "test", "delete", "rotate", "replay", "switch"]) {
    const input = { ...changed, webhookId, secretMark, since, isOn: true };
    expect((await send(`webhooks/${operation}`, input)).body.code).toBe("not_found");
  }
});

test("the standing of many wallets is answered at once, in the order asked for", async () => {
  const { send } = await manageScene();
  const [a, b, stranger] = [createAddress(), createAddress(), createAddress()];
  await send("grants/create", { walletAddress: a, points: 5 });
  await send("grants/create", { walletAddress: b, points: 7 });
  const addresses = [a, stranger, b.toUpperCase().replace("0X", "0x"), a].join(",");
  expect((await send("standings", { addresses })).body).toEqual({
    wallets: [
      { address: a, points: 5, events: 1, rank: 2 },
      { address: b, points: 7, events: 1, rank: 1 },
    ],
  });
  const many = Array.from({ length: 101 }, createAddress).join(",");
  for (const refused of [many, `${a},0x12`, ""]) {
    expect((await send("standings", { addresses: refused })).status).toBe(400);
  }
});

test("the statistics have the weeks that are asked for, at most 52", async () => {
  const { send } = await manageScene();
  const [first] = (await send("statistics", { weeks: "1" })).body.weeks;
  expect(first).toMatchObject({ newWallets: 0, earnedPoints: 0, cappedCalls: 0 });
  expect((await send("statistics")).body).toMatchObject({ tiers: [], seasons: [] });
  expect((await send("statistics", { weeks: "52" })).body.weeks).toHaveLength(52);
  for (const weeks of ["0", "53", "x"]) {
    expect(await send("statistics", { weeks })).toMatchObject({
      status: 400,
      body: { code: "invalid_field" },
    });
  }
});

test("a malformed field of a query is named with its rule, a missing one as missing", async () => {
  const { send } = await manageScene();
  const refuses = async (operation: string, input: object, code: string, message: string) =>
    expect(await send(operation, { ...input })).toMatchObject({
      status: 400,
      body: { code, message },
    });
  const rule = "Enter an address: 0x and 40 hexadecimal digits";
  await refuses(
    "spends",
    { walletAddress: "0x12" },
    "invalid_field",
    `Invalid field walletAddress: ${rule}`,
  );
  const weeks = (rule: string) => `Invalid field weeks: ${rule}`;
  await refuses("statistics", { weeks: "x" }, "invalid_field", weeks("Send a whole number from 1"));
  await refuses("statistics", { weeks: "53" }, "invalid_field", weeks("Send at most 52"));
  await refuses("boost", {}, "missing_parameter", "Missing required parameter: id");
});

test("times that the database cannot hold are refused, or belong to no event", async () => {
  const { send } = await manageScene();
  const year0 = "0000-01-01T00:00:00.000Z";
  const season = {
    kind: "season",
    slug: "spring",
    name: "Spring",
    timeZone: "UTC",
    isPublic: true,
  };
  const times = { startsAt: year0, endsAt: "2030-06-01T00:00:00.000Z" };
  const webhookId = randomUUID();
  for (const refused of [
    await send("boards/create", { ...season, ...times }),
    await send("webhooks/replay", { webhookId, since: year0 }),
  ]) {
    expect(refused).toMatchObject({ status: 400, body: { code: "invalid_field" } });
  }
  const id = "ffffffff-ffff-7fff-bfff-ffffffffffff";
  const granted = await send("grants/create", { walletAddress: createAddress(), points: 5, id });
  expect(granted).toMatchObject({ status: 200, body: { id } });
});
