import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Sql } from "postgres";
import { generateWebhookSecret } from "../../../app/domain/webhooks/signature";
import { setKeyEnvironment } from "../../../app/services/keyring/keyring";
import { encryptSecret } from "../../../app/services/webhooks/secrets";
import { SERVERS } from "../build";
import { type Defer, withCleanUp } from "../clean-up";
import { connect, formatDatabaseUrl, startCluster } from "../cluster";
import { startServer } from "../processes";
import { createRow, type Row } from "../report";
import { measureInRounds } from "../rounds";
import { putTriggerLoad } from "../trigger-load";
import { createWallets, prepareOurs, WORLD } from "../world";

const CONNECTIONS = 256;
const WALLETS = 10_000;
const ENDPOINT_ID = "c0000000-0000-4000-8000-000000000001";
const GIFT_CARD_KEYS = `bench:${"0123456789abcdef".repeat(4)}`;

/**
 * Measures credits while one webhook listens for them, beside the same load without it. The
 * receiver is on this machine, and takes its part of the processors.
 */
export function measureWebhooks(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const database = await cluster.createDatabase("ours");
    await prepareOurs(database, createWallets(WALLETS));
    const receiver = await startCountingReceiver(defer);
    const env = {
      DATABASE_URL: formatDatabaseUrl(database),
      GIFT_CARD_KEYS,
      WEBHOOK_ALLOW_PRIVATE: "127.0.0.1",
    };
    const sql = connect(database);
    defer(() => sql.end({ timeout: 1 }));
    await createEndpoint(sql, receiver.url);
    const { url } = await startServer(defer, { command: [SERVERS.production], env });

    const credits = (seconds: number) =>
      putTriggerLoad({ url: `${url}/trigger`, connections: CONNECTIONS, seconds });
    const withWebhook = async (seconds: number) => {
      await switchEndpoint(sql, true);
      try {
        return await credits(seconds);
      } finally {
        await switchEndpoint(sql, false);
      }
    };
    const { loads, compare } = await measureInRounds(
      { credits, withWebhook },
      { rounds: 5, seconds: 6, warmUpSeconds: 3 },
    );
    const name = `credits, ${CONNECTIONS} connections`;
    return [
      createRow(`${name}, no webhook`, loads.credits.perSecond, "1/s"),
      createRow(`${name}, one webhook listens`, loads.withWebhook.perSecond, "1/s"),
      createRow("requests that the webhook's receiver had", receiver.count(), "requests"),
      createRow(
        "credits with a webhook to without",
        compare("withWebhook", "credits"),
        "ratio",
        0.9,
      ),
    ];
  });
}

async function createEndpoint(sql: Sql, url: string): Promise<void> {
  setKeyEnvironment({ GIFT_CARD_KEYS, DATA_DIR: "nowhere" });
  const { pointSystemId } = WORLD;
  const key = { pointSystemId, id: ENDPOINT_ID };
  const { ciphertext, nonce, keyId } = encryptSecret(key, generateWebhookSecret());
  await sql`
    insert into webhook_endpoints (point_system_id, id, url, event_types, off_at,
      secret_ciphertext, secret_nonce, secret_key_id, ledger_seq)
    values (${pointSystemId}, ${ENDPOINT_ID}, ${url}, ${"{points.credited}"}::text[], now(),
      ${Buffer.from(ciphertext)}, ${Buffer.from(nonce)}, ${keyId}, 0)`;
}

/** Switches the endpoint on or off; what was credited meanwhile is not delivered. */
async function switchEndpoint(sql: Sql, isOn: boolean): Promise<void> {
  await sql`
    update webhook_endpoints e
    set off_at = case when ${isOn} then null else now() end, failures = 0, failing_since = null,
      due_at = now(), ledger_seq = coalesce((
        select max(seq) from point_events where point_system_id = e.point_system_id
      ), 0)`;
}

async function startCountingReceiver(defer: Defer) {
  let requests = 0;
  const server = http.createServer((request, response) => {
    requests += 1;
    request.resume().on("end", () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, count: () => requests };
}
