import { randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEndpointPage } from "../../app/api/document/pages";
import { PROSE } from "../../app/api/document/prose";
import { API_ENDPOINTS, type EndpointPath, isManagePath } from "../../app/api/endpoints";
import { SANDBOX_KEY_PREFIX } from "../../app/domain/access/api-key";
import { EXAMPLE } from "../../app/domain/reference/example";
import { LANGUAGES } from "../../app/domain/reference/samples";
import { createGiftCardKey } from "../support/gift-cards";
import { createSampleFolder, findUndocumented, hasPython, runSample } from "../support/samples";
import { inDatabase } from "../support/seeded-server";
import {
  createDataDir,
  type ServerProcess,
  seed,
  startServerProcess,
} from "../support/server-process";

const createToken = () => `rw_${randomBytes(16).toString("hex")}`;
const createSandboxToken = () => `${SANDBOX_KEY_PREFIX}${createToken().slice(7)}`;

const EMAIL = "ada@example.com";
/** The point systems of each language: what one story changes is not there for the next. */
const WORLDS = LANGUAGES.map((language, i) => {
  const name = language.toLowerCase();
  const id = (part: number) => `3f1c8a52-6d0b-4e57-9a41-${String(10 * i + part).padStart(12, "0")}`;
  return {
    language,
    system: { id: id(1), slug: name, name: `Harbor ${language}` },
    sandbox: { id: id(2), slug: `${name}-try`, name: `Try ${language}` },
    token: createToken(),
    sandboxToken: createSandboxToken(),
  };
});

let server: ServerProcess;
let folder: string;
beforeAll(async () => {
  folder = await createSampleFolder();
  const dataDir = await createDataDir();
  server = await startServerProcess({ dataDir, env: { GIFT_CARD_KEYS: createGiftCardKey("k1") } });
  await seed(dataDir, {
    operators: [{ name: "Ada", email: EMAIL, password: "a long passphrase" }],
    pointSystems: WORLDS.flatMap(({ system, sandbox }) =>
      [system, sandbox].map((each) => ({ operator: EMAIL, ...each })),
    ),
    apiKeys: WORLDS.flatMap(({ language, system, sandbox, token, sandboxToken }) => [
      {
        operator: EMAIL,
        name: language,
        key: token,
        permission: "manage",
        pointSystems: [system.slug],
      },
      {
        operator: EMAIL,
        name: `${language} of sandboxes`,
        key: sandboxToken,
        permission: "manage",
        pointSystems: [sandbox.slug],
      },
    ]),
  });
  // A fixture makes no sandboxes, and nothing but this becomes one.
  await inDatabase(server.dataDir, async (sql) => {
    await sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update point_systems set is_sandbox = true, slug = null where slug like '%-try'`;
      await tx`update api_keys set is_sandbox = true where name like '% of sandboxes'`;
    });
  });
});
afterAll(async () => {
  await server.end("SIGTERM");
  for (const at of [server.dataDir, folder]) await fs.rm(at, { recursive: true, force: true });
});

type Fields = Record<string, unknown>;

/** Reads when an event was, as GET /activity tells it to keys that read. */
async function readDate(eventId: string): Promise<string> {
  let date = "";
  await inDatabase(server.dataDir, async (sql) => {
    const [row] = await sql<
      { at: Date }[]
    >`select created_at as at from point_events where id = ${eventId}`;
    date = row?.at.toISOString() ?? "";
  });
  return date;
}

/** Spends points of the example's wallet, as POST /spend does. */
async function spendOf(pointSystemId: string): Promise<string> {
  let spendId = "";
  await inDatabase(server.dataDir, async (sql) => {
    const [row] = await sql<{ id: string }[]>`
      select id from spend_points(
        ${pointSystemId}, gen_random_uuid(), decode(${EXAMPLE.wallet.slice(2)}, 'hex'), 5, 'Raffle ticket',
        gen_random_uuid(), null
      )`;
    spendId = row?.id ?? "";
  });
  return spendId;
}

/** Runs the samples of one language, each as its page has it, and remembers which ran. */
function createReader(world: (typeof WORLDS)[number]) {
  const { language } = world;
  const done = new Set<EndpointPath>();
  /** Runs a sample with other values in some of its fields. Returns the answer. */
  async function run(at: EndpointPath, given: Fields = {}, isSandbox = false) {
    done.add(at);
    const { id } = isSandbox ? world.sandbox : world.system;
    const values = { ...EXAMPLE, origin: server.url, pointSystemId: id };
    const request = PROSE[at].request(values);
    const page = createEndpointPage(at, values);
    let text = page.samples.find((each) => each.language === language)?.text ?? "";
    for (const [field, value] of Object.entries(given)) {
      expect(text).toContain(String(request[field]));
      text = text.replaceAll(String(request[field]), String(value));
    }
    const token = isSandbox ? world.sandboxToken : world.token;
    const output = JSON.parse(await runSample(language, text, { folder, token }));
    expect(findUndocumented(at, output)).toBeNull();
    return output;
  }
  /** Makes a call that no sample shows. */
  async function send(at: EndpointPath, input: Fields) {
    const response = await fetch(`${server.url}/api/${at}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${world.token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ pointSystemId: world.system.id, ...input }),
    });
    expect(response.status).toBe(200);
    return response.json();
  }
  return { run, send, done };
}

test.each(WORLDS)(
  "each sample of the management API in $language does what its page says",
  // What a story has made is there for a second one.
  { timeout: 180_000, retry: 0 },
  async (world) => {
    if (world.language === "Python" && !hasPython) return;
    const { run, send, done } = createReader(world);
    const { slug } = world.system;

    await run("manage/v1/point-systems/create", { slug: `${slug}-made` });
    const { pointSystems } = await run("manage/v1/point-systems");
    expect(pointSystems).toMatchObject([{ slug: `${slug}-made` }, { slug }]);
    await run("manage/v1/point-systems/update", { slug: `${slug}-changed` });
    expect(await run("manage/v1/point-system")).toMatchObject({ slug: `${slug}-changed` });
    await run("manage/v1/point-systems/clear", { name: world.sandbox.name }, true);

    await run("manage/v1/triggers/create");
    await run("manage/v1/triggers/update");
    await run("manage/v1/triggers/switch");
    const { triggers } = await run("manage/v1/triggers");
    expect(triggers).toMatchObject([{ key: EXAMPLE.triggerKey, points: 20, isActive: false }]);
    await run("manage/v1/tiers/set");
    expect((await run("manage/v1/tiers")).tiers).toHaveLength(2);
    await run("manage/v1/streaks/create");
    await run("manage/v1/streaks/update");
    expect((await run("manage/v1/streaks")).streaks).toMatchObject([
      { key: "daily_visits", bonuses: [{ days: 7, triggerKey: EXAMPLE.triggerKey }] },
    ]);
    await run("manage/v1/streaks/delete");
    await run("manage/v1/triggers/delete");

    const { id: eventId } = await run("manage/v1/grants/create");
    const date = await readDate(eventId);
    expect((await run("manage/v1/standings")).wallets).toMatchObject([{ points: 500, rank: 1 }]);
    expect((await run("manage/v1/statistics")).weeks).toHaveLength(1);
    const spendId = await spendOf(world.system.id);
    expect((await run("manage/v1/spends")).spends).toMatchObject([{ id: spendId, points: 5 }]);
    expect(await run("manage/v1/spends/reverse", { spendId })).toMatchObject({ balance: 500 });
    await run("manage/v1/voids/create", { eventId, date });
    await run("manage/v1/wallet-links/create");
    expect((await run("manage/v1/wallet-links")).links).toHaveLength(1);
    await run("manage/v1/wallet-links/delete");
    await run("manage/v1/blacklist/add");
    expect((await run("manage/v1/blacklist")).wallets).toHaveLength(1);
    expect(await run("manage/v1/blacklist/remove")).toEqual({ removed: 1 });

    await run("manage/v1/boards/create");
    await send("manage/v1/boards/create", {
      kind: "weekly",
      name: "Weekly",
      isPublic: true,
      timeZone: "UTC",
    });
    await run("manage/v1/boards/update");
    await run("manage/v1/boards/end");
    await run("manage/v1/boards/delete");
    expect((await run("manage/v1/boards")).boards).toMatchObject([
      { board: "weekly", state: "ended" },
    ]);

    const { id: boostId } = await run("manage/v1/boosts/create");
    await run("manage/v1/boosts/update", { id: boostId });
    expect(await run("manage/v1/boost", { id: boostId })).toMatchObject({ walletCount: 1 });
    expect((await run("manage/v1/boosts")).boosts).toMatchObject([{ id: boostId, factor: 2 }]);
    await run("manage/v1/boosts/delete", { id: boostId });
    const endsAt = "2030-03-04T00:00:00.000Z";
    const running = await send("manage/v1/boosts/create", { name: "Now", factor: 1.5, endsAt });
    await run("manage/v1/boosts/end", { id: running.id });

    const { id } = await run("manage/v1/keys/create");
    expect((await run("manage/v1/keys")).keys).toMatchObject([{ id }]);
    await run("manage/v1/keys/revoke", { id });

    const { id: rewardId } = await run("manage/v1/campaigns/draft");
    await run("manage/v1/campaigns/change", { rewardId });
    const { terms } = await run("manage/v1/campaign", { rewardId });
    await run("manage/v1/campaigns/publish", { rewardId, terms });
    const other = await run("manage/v1/campaigns/draft");
    expect((await run("manage/v1/campaigns")).campaigns).toHaveLength(2);
    await run("manage/v1/campaigns/delete", { rewardId: other.id });

    const { id: importId } = await run("manage/v1/imports/upload");
    await run("manage/v1/imports/layout", { importId });
    const { digest } = (await run("manage/v1/import", { importId })).preview;
    await run("manage/v1/imports/commit", { importId, digest });
    const isCommitted = async () =>
      (await run("manage/v1/import", { importId })).import.status === "committed";
    await expect.poll(isCommitted, { timeout: 30_000, interval: 500 }).toBe(true);
    // The work is given up after many attempts only.
    await inDatabase(server.dataDir, async (sql) => {
      await sql`update imports set status = 'committing', failure = 'given up' where id = ${importId}`;
    });
    await run("manage/v1/imports/retry", { importId });
    await expect.poll(isCommitted, { timeout: 30_000, interval: 500 }).toBe(true);
    await run("manage/v1/imports/undo", { importId });
    const discarded = await run("manage/v1/imports/upload");
    await run("manage/v1/imports/discard", { importId: discarded.id });
    expect((await run("manage/v1/imports")).imports).toHaveLength(1);

    const { id: webhookId } = await run("manage/v1/webhooks/create");
    const [{ secretMark }] = (await run("manage/v1/webhooks")).webhooks;
    await run("manage/v1/webhooks/update", { webhookId });
    await run("manage/v1/webhooks/rotate", { webhookId, secretMark });
    await run("manage/v1/webhooks/test", { webhookId });
    await run("manage/v1/webhooks/replay", { webhookId });
    await run("manage/v1/webhooks/switch", { webhookId });
    await run("manage/v1/webhooks/delete", { webhookId });

    const all = (Object.keys(API_ENDPOINTS) as EndpointPath[]).filter(isManagePath);
    expect([...done].toSorted()).toEqual(all.toSorted());
  },
);
