import { createHash } from "node:crypto";
import fastify, { type FastifyRequest } from "fastify";
import { Redis } from "ioredis";
import postgres, { type TransactionSql } from "postgres";

/**
 * The plain service for comparison: Fastify and postgres.js, with a statement for each step and a
 * transaction for each call. It is well written: prepared statements, compiled schemas, an index
 * for every query, no log. It has no Idempotency-Key, and its limit is not exact under concurrent
 * calls.
 */

/**
 * The address of PostgreSQL is in the environment: PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE.
 */
const sql = postgres({ max: 10, fetch_types: false });

/** With REDIS_PORT, ranks come from the sorted set `board` there. */
const { REDIS_PORT } = process.env;
const redis = REDIS_PORT === undefined ? null : new Redis({ port: Number(REDIS_PORT) });

const LIMIT_CREDITS_MAX = 10;
const PAGE_LIMIT = 50;

type Refusal = readonly [status: number, error: string];

interface TriggerBody {
  triggerKey: string;
  walletAddress: string;
  pointSystemId: string;
}

interface WalletRow {
  address: string;
  points: number;
  events: number;
  rank: number;
}

const app = fastify({ logger: false });

function readTokenHash(request: FastifyRequest): Buffer | null {
  const token = /^Bearer (rw_[0-9a-f]{32})$/.exec(request.headers.authorization ?? "")?.[1];
  return token ? createHash("sha256").update(token).digest() : null;
}

/** Finds the key's id, or the reason why the key is refused. */
async function findKey(
  query: typeof sql | TransactionSql,
  tokenHash: Buffer | null,
  permission: "trigger" | "read",
  pointSystemId: string,
): Promise<{ id: string } | Refusal> {
  if (!tokenHash) return [401, "Invalid API key"];
  const [key] = await query<{ id: string; permission: string; isInScope: boolean }[]>`
    select k.id, k.permission, s.api_key_id is not null as "isInScope"
    from api_keys k
    left join api_key_point_systems s
      on s.api_key_id = k.id and s.point_system_id = ${pointSystemId}
    where k.token_hash = ${tokenHash}`;
  if (!key) return [401, "Invalid API key"];
  if (key.permission !== permission && key.permission !== "all") return [403, "Not permitted"];
  if (!key.isInScope) return [403, "Out of scope"];
  return key;
}

async function credit(
  tx: TransactionSql,
  tokenHash: Buffer | null,
  { pointSystemId, triggerKey, address }: Omit<TriggerBody, "walletAddress"> & { address: string },
): Promise<{ points: number } | Refusal> {
  const key = await findKey(tx, tokenHash, "trigger", pointSystemId);
  if (!("id" in key)) return key;
  const [trigger] = await tx<{ points: number; isActive: boolean }[]>`
    select points::int, is_active as "isActive" from triggers
    where point_system_id = ${pointSystemId} and key = ${triggerKey}`;
  if (!trigger) return [404, "Trigger not found"];
  if (!trigger.isActive) return [403, "Trigger is inactive"];
  const [listed] = await tx`
    select 1 from blacklist where point_system_id = ${pointSystemId} and address = ${address}`;
  if (listed) return [403, "Wallet is blacklisted"];
  const [recent] = await tx<{ credits: number }[]>`
    select count(*)::int as credits from point_events
    where api_key_id = ${key.id} and address = ${address} and event = ${triggerKey}
      and point_system_id = ${pointSystemId} and created_at > now() - interval '60 s'`;
  if ((recent?.credits ?? 0) >= LIMIT_CREDITS_MAX) return [429, "Rate limit exceeded"];
  await tx`
    insert into wallets (point_system_id, address, points, events)
    values (${pointSystemId}, ${address}, ${trigger.points}, 1)
    on conflict (point_system_id, address) do update
      set points = wallets.points + excluded.points, events = wallets.events + 1`;
  await tx`
    insert into point_events (point_system_id, address, points, event, api_key_id)
    values (${pointSystemId}, ${address}, ${trigger.points}, ${triggerKey}, ${key.id})`;
  return { points: trigger.points };
}

app.post<{ Body: TriggerBody }>(
  "/trigger",
  {
    schema: {
      body: {
        type: "object",
        required: ["triggerKey", "walletAddress", "pointSystemId"],
        properties: {
          triggerKey: { type: "string", pattern: "^[a-z0-9_]{1,100}$" },
          walletAddress: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
          pointSystemId: { type: "string", pattern: "^[0-9a-fA-F-]{36}$" },
        },
      },
      response: {
        200: {
          type: "object",
          properties: {
            success: { type: "boolean" },
            pointsAdded: { type: "integer" },
            triggerKey: { type: "string" },
            walletAddress: { type: "string" },
          },
        },
      },
    },
  },
  async (request, reply) => {
    const { triggerKey, walletAddress, pointSystemId } = request.body;
    const address = walletAddress.toLowerCase();
    const tokenHash = readTokenHash(request);
    const result = await sql.begin((tx) =>
      credit(tx, tokenHash, { pointSystemId, triggerKey, address }),
    );
    if (!("points" in result)) return reply.code(result[0]).send({ error: result[1] });
    return { success: true, pointsAdded: result.points, triggerKey, walletAddress: address };
  },
);

const walletSchema = {
  type: "object",
  properties: {
    address: { type: "string" },
    points: { type: "integer" },
    events: { type: "integer" },
    rank: { type: "integer" },
  },
};

app.get<{ Querystring: { pointSystemId: string; address: string } }>(
  "/wallet",
  { schema: { response: { 200: walletSchema } } },
  async (request, reply) => {
    const { pointSystemId } = request.query;
    const address = request.query.address.toLowerCase();
    const key = await findKey(sql, readTokenHash(request), "read", pointSystemId);
    if (!("id" in key)) return reply.code(key[0]).send({ error: key[1] });
    if (redis) {
      const [[wallet], place] = await Promise.all([
        sql<Omit<WalletRow, "rank">[]>`
          select address, points::float8, events::float8 from wallets
          where point_system_id = ${pointSystemId} and address = ${address}`,
        redis.zrevrank("board", address),
      ]);
      if (!wallet || place === null) return reply.code(404).send({ error: "Wallet not found" });
      return { ...wallet, rank: place + 1 };
    }
    const [wallet] = await sql<WalletRow[]>`
      select w.address, w.points::float8, w.events::float8, (
        1 + (select count(*) from wallets a
              where a.point_system_id = w.point_system_id and a.points > w.points)
          + (select count(*) from wallets a
              where a.point_system_id = w.point_system_id and a.points = w.points
                and a.address < w.address)
      )::float8 as rank
      from wallets w where w.point_system_id = ${pointSystemId} and w.address = ${address}`;
    return wallet ?? reply.code(404).send({ error: "Wallet not found" });
  },
);

app.get<{ Querystring: { pointSystemId: string } }>(
  "/leaderboard",
  {
    schema: {
      response: {
        200: {
          type: "object",
          properties: {
            leaderboard: { type: "array", items: walletSchema },
            pagination: {
              type: "object",
              properties: {
                page: { type: "integer" },
                limit: { type: "integer" },
                total: { type: "integer" },
                totalPages: { type: "integer" },
              },
            },
          },
        },
      },
    },
  },
  async (request, reply) => {
    const { pointSystemId } = request.query;
    const key = await findKey(sql, readTokenHash(request), "read", pointSystemId);
    if (!("id" in key)) return reply.code(key[0]).send({ error: key[1] });
    const [rows, [count]] = await Promise.all([
      sql<WalletRow[]>`
        select address, points::float8, events::float8 from wallets
        where point_system_id = ${pointSystemId}
        order by points desc, address limit ${PAGE_LIMIT}`,
      sql<{ total: number }[]>`
        select count(*)::int as total from wallets where point_system_id = ${pointSystemId}`,
    ]);
    const total = count?.total ?? 0;
    return {
      leaderboard: rows.map((row, i) => ({ ...row, rank: i + 1 })),
      pagination: { page: 1, limit: PAGE_LIMIT, total, totalPages: Math.ceil(total / PAGE_LIMIT) },
    };
  },
);

const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.error(`The plain service is ready at ${url}`);
process.once("SIGTERM", () => {
  void app
    .close()
    .then(() => redis?.disconnect())
    .then(() => sql.end({ timeout: 1 }))
    .then(() => process.exit(0));
});
