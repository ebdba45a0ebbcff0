import { randomUUID } from "node:crypto";
import { hashApiKeyToken } from "../../../app/domain/access/api-key";
import { SERVERS } from "../build";
import { type Defer, withCleanUp } from "../clean-up";
import { connect, type DatabaseLocation, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { CREDITED_WALLETS, getAddress, prepareOurs, WORLD } from "../world";
import { putLoad } from "../wrk";

const MANY = 200;
/**
 * Wallets of the boards in each point system: a small board, and one whose ranks come from counts.
 */
const SMALL_BOARD = 100;
const BIG_BOARD = 1_000;
/** Wallets that are requested repeatedly: an answer that is still valid is reused. */
const ASKED_WALLETS = 100;
/** Credits to one of the point systems while the others are read. */
const CREDITS_PER_SECOND = 10;
const BESIDE = `beside ${CREDITS_PER_SECOND} credits/s`;
const TOKEN_OF_MANY = "rw_b0000000000000000000000000000200";

/**
 * Measures GET /points for wallets that are in every point system of a key: of one, and of two
 * hundred.
 */
export function measurePoints(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const measure = async (wallets: number) => {
      const location = await cluster.createDatabase(`standings_${wallets}`);
      await prepareOurs(location);
      await fillPointSystems(location, wallets);
      return withCleanUp((deferServer) => measureBoards(deferServer, location, wallets));
    };
    return [...(await measure(SMALL_BOARD)), ...(await measure(BIG_BOARD))];
  });
}

async function measureBoards(
  defer: Defer,
  location: DatabaseLocation,
  wallets: number,
): Promise<Row[]> {
  const { url } = await startServer(defer, {
    command: [SERVERS.production],
    env: { DATABASE_URL: formatDatabaseUrl(location) },
  });
  const get =
    (token: string): Contender =>
    (seconds) =>
      putLoad({
        script: "get.lua",
        url: `${url}/points?`,
        connections: 1,
        seconds,
        scriptArguments: [String(Math.min(wallets, ASKED_WALLETS)), token],
      });
  const beside =
    (contender: Contender): Contender =>
    async (seconds) => {
      const stop = creditSteadily(url);
      return contender(seconds).finally(stop);
    };
  const [one, many] = [get(WORLD.token), get(TOKEN_OF_MANY)];
  const { loads, compare } = await measureInRounds(
    { one, many, oneBeside: beside(one), manyBeside: beside(many) },
    { rounds: 3, seconds: 3, warmUpSeconds: 2 },
  );
  const name = (systems: number) => `GET /points, ${systems} boards of ${wallets}`;
  return [
    createRow(`${name(1)}, p50`, loads.one.p50Ms, "ms"),
    createRow(`${name(MANY)}, p50`, loads.many.p50Ms, "ms"),
    createRow(`${name(MANY)}, p99`, loads.many.p99Ms, "ms"),
    createRow(`${name(1)} to ${MANY}, p50`, compare("one", "many", "p50Ms"), "ratio", 0.333),
    createRow(`${name(1)}, p50 ${BESIDE}`, loads.oneBeside.p50Ms, "ms"),
    createRow(`${name(MANY)}, p50 ${BESIDE}`, loads.manyBeside.p50Ms, "ms"),
    createRow(`${name(MANY)}, p99 ${BESIDE}`, loads.manyBeside.p99Ms, "ms"),
  ];
}

/**
 * Credits wallets of one point system at a fixed rate until it is stopped.
 * @throws {Error} when a call is refused, once it is stopped
 */
function creditSteadily(url: string): () => Promise<void> {
  const calls: Promise<Response>[] = [];
  const timer = setInterval(() => {
    const call = fetch(`${url}/trigger`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${WORLD.token}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      body: JSON.stringify({
        pointSystemId: WORLD.pointSystemId,
        triggerKey: WORLD.triggerKey,
        walletAddress: getAddress(Math.floor(Math.random() * CREDITED_WALLETS)),
      }),
    });
    calls.push(call);
  }, 1_000 / CREDITS_PER_SECOND);
  return async () => {
    clearInterval(timer);
    const answers = await Promise.all(calls);
    const refused = answers.find(({ ok }) => !ok);
    if (refused) throw new Error(`A credit beside was answered ${refused.status}`);
  };
}

/** Adds point systems with the same wallets, and a key that reaches them all. */
async function fillPointSystems(location: DatabaseLocation, wallets: number): Promise<void> {
  const sql = connect(location);
  const keyId = randomUUID();
  try {
    await sql`
      insert into point_systems (operator_id, name, short_id)
      select operator_id, 'Bench ' || n, 'Z' || lpad(n::text, 3, '0')
      from point_systems, generate_series(2, ${MANY}::int) n`;
    await sql`
      insert into api_keys (id, operator_id, name, token_hash, permission)
      select ${keyId}, operator_id, 'many', ${hashApiKeyToken(TOKEN_OF_MANY)}, 'read'
      from point_systems where id = ${WORLD.pointSystemId}`;
    await sql`
      insert into api_key_point_systems (api_key_id, point_system_id)
      select ${keyId}, id from point_systems`;
    await sql`
      insert into wallets (point_system_id, address, points, events)
      select p.id,
        decode(lpad(to_hex(n * 2654435761 % 4294967296), 8, '0') || lpad(to_hex(n), 32, '0'), 'hex'),
        10 * (1 + floor(2000 * power(n * 7919 % ${wallets} / ${wallets}::float8, 3))), 1
      from point_systems p, generate_series(0, ${wallets}::bigint - 1) n`;
    await sql`
      insert into point_system_totals (point_system_id, wallets, events)
      select id, ${wallets}, ${wallets} from point_systems
      on conflict (point_system_id) do update set wallets = excluded.wallets, events = excluded.events`;
    await sql`select rebuild_ranks(id) from point_systems`;
    // Autovacuum would do this within minutes.
    await sql`vacuum analyze`;
    await sql`checkpoint`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
