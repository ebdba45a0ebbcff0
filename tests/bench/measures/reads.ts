import { SERVERS } from "../build";
import { withCleanUp } from "../clean-up";
import { connect, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { type Contender, measureInRounds } from "../rounds";
import { createWallets, prepareOurs, preparePlain, toPlainEnv, WORLD } from "../world";
import { type Load, putLoad } from "../wrk";

const WALLETS = 10_000;
const CONNECTIONS = 32;

/**
 * Measures GET /wallet for random wallets, and page 1 of GET /leaderboard, beside the plain
 * service.
 */
export function measureReads(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const ours = await cluster.createDatabase("ours");
    const plain = await cluster.createDatabase("plain");
    const wallets = createWallets(WALLETS);
    await prepareOurs(ours, wallets);
    await preparePlain(plain, wallets);
    for (const location of [ours, plain]) {
      // Autovacuum would do this within minutes; index-only scans need it.
      const sql = connect(location);
      await sql`vacuum analyze`.finally(() => sql.end({ timeout: 1 }));
    }
    const server = await startServer(defer, {
      command: [SERVERS.production],
      env: { DATABASE_URL: formatDatabaseUrl(ours) },
    });
    const plainService = await startServer(defer, {
      command: [SERVERS.plain],
      env: toPlainEnv(plain),
    });

    const get =
      (origin: string, path: string, drawnWallets: number): Contender =>
      (seconds) =>
        putLoad({
          script: "get.lua",
          url: `${origin}${path}?pointSystemId=${WORLD.pointSystemId}`,
          connections: CONNECTIONS,
          seconds,
          scriptArguments: [String(drawnWallets), WORLD.token],
        });
    const { loads, compare } = await measureInRounds(
      {
        wallet: get(server.url, "/wallet", WALLETS),
        plainWallet: get(plainService.url, "/wallet", WALLETS),
        leaderboard: get(server.url, "/leaderboard", 0),
        plainLeaderboard: get(plainService.url, "/leaderboard", 0),
      },
      { rounds: 3, seconds: 4, warmUpSeconds: 1 },
    );
    return [
      ...describeBoth("GET /wallet", loads.wallet, loads.plainWallet),
      createRow("GET /wallet to plain service", compare("wallet", "plainWallet"), "ratio"),
      ...describeBoth("GET /leaderboard", loads.leaderboard, loads.plainLeaderboard),
      createRow(
        "GET /leaderboard to plain service",
        compare("leaderboard", "plainLeaderboard"),
        "ratio",
      ),
    ];
  });
}

function describeBoth(name: string, ours: Load, plain: Load): Row[] {
  return [
    createRow(`${name}`, ours.perSecond, "1/s"),
    createRow(`${name}, p50`, ours.p50Ms, "ms"),
    createRow(`${name}, p99`, ours.p99Ms, "ms"),
    createRow(`plain service's ${name}`, plain.perSecond, "1/s"),
    createRow(`plain service's ${name}, p50`, plain.p50Ms, "ms"),
    createRow(`plain service's ${name}, p99`, plain.p99Ms, "ms"),
  ];
}
