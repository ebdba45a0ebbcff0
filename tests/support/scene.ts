import { randomBytes, randomUUID } from "node:crypto";
import { generateApiKeyToken, type Permission } from "../../app/domain/access/api-key";
import { loadFixture } from "../../app/services/fixture/load-fixture";
import { type Answer, call } from "./call";
import { keyring } from "./fixture-file";

export interface SceneOptions {
  trigger?: { key?: string; points?: number; isActive?: boolean };
  /** More triggers, all active. */
  triggers?: { key: string; points: number }[];
  permission?: Permission;
  /** Events in the form of a fixture file. */
  events?: { id?: string; address: string; points: number; event?: string | null; date?: string }[];
  wallets?: string[];
  blacklist?: { address: string; reason?: string; date?: string }[];
  rewards?: readonly object[];
}

/** Creates a random wallet address, lowercase. */
export function createAddress(): `0x${string}` {
  return `0x${randomBytes(20).toString("hex")}`;
}

/**
 * Creates a point system with one trigger and a key that reaches it, and functions that call the
 * API.
 */
export async function scene(options: SceneOptions = {}) {
  const pointSystemId = randomUUID();
  const token = generateApiKeyToken();
  const wallet = createAddress();
  const { key = "daily_login", points = 10, isActive = true } = options.trigger ?? {};
  const operator = `${randomUUID()}@example.com`;
  const file = {
    operators: [{ email: operator, password: "a long passphrase", name: "Ops" }],
    pointSystems: [
      {
        operator,
        id: pointSystemId,
        name: "Alpha",
        slug: null,
        triggers: [
          { name: "Daily login", key, points, active: isActive },
          ...(options.triggers ?? []).map((more) => ({ name: more.key, ...more })),
        ],
        events: options.events ?? [],
        wallets: options.wallets ?? [],
        blacklist: options.blacklist ?? [],
        rewards: options.rewards ?? [],
      },
    ],
    apiKeys: [
      {
        operator,
        name: "backend",
        key: token,
        permission: options.permission ?? "all",
        pointSystems: [pointSystemId],
      },
    ],
  };
  await loadFixture(file, { getKeyring: () => keyring });

  /** Adds another key of the same operator. */
  async function addKey(permission: Permission, pointSystems: string[]): Promise<string> {
    const key = generateApiKeyToken();
    await loadFixture({ apiKeys: [{ operator, name: "other", key, permission, pointSystems }] });
    return key;
  }

  /**
   * Calls POST /trigger for the scene's wallet, with any part of the body or the headers changed.
   */
  function fire(
    body: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const fields = { triggerKey: key, walletAddress: wallet, pointSystemId, ...body };
    return post("/trigger", fields, headers);
  }

  /** Calls POST /trigger/batch. */
  function fireBatch(
    body: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return post("/trigger/batch", { pointSystemId, ...body }, headers);
  }

  /** Calls an endpoint by POST with the key. */
  function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return call(path, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
  }

  /**
   * Calls an endpoint by GET with the key and the scene's point system in the query, unless `query`
   * names another.
   */
  function get(
    path: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const search = new URLSearchParams({ pointSystemId, ...query });
    return call(`${path}?${search}`, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
    });
  }

  /** Reads a wallet's points by GET /wallet; 0 when it has no entry. */
  async function pointsOf(address: string): Promise<number> {
    const { status, body } = await get("/wallet", { address });
    return status === 404 ? 0 : body.points;
  }

  return {
    pointSystemId,
    token,
    wallet,
    operator,
    triggerKey: key,
    addKey,
    fire,
    fireBatch,
    post,
    get,
    pointsOf,
  };
}
