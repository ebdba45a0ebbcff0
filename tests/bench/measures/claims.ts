import { createHash } from "node:crypto";
import { encodeAbiParameters, type Hex, toEventSelector, toHex } from "viem";
import { openChains } from "../../../app/chain/rpc/chains";
import { closeDatabase, openDatabase } from "../../../app/db/client";
import { migrateDatabase } from "../../../app/db/migrations";
import { CAMPAIGN_CONTRACT_ADDRESS } from "../../../app/domain/campaigns/contract";
import { createChainFollower } from "../../../app/services/follower/follower";
import { sendJson, startHttpFake } from "../../support/fakes/http-fake";
import { withCleanUp } from "../clean-up";
import { connect, startCluster } from "../cluster";
import { createCeilingRow, createRow, type Row } from "../report";

const CLAIMS_A_BLOCK = 200;
/** Full blocks of them. */
const CLAIMS =
  Math.ceil(Number(process.env.BENCH_CLAIMS ?? 1_000_000) / CLAIMS_A_BLOCK) * CLAIMS_A_BLOCK;
const LOGS_A_CALL_MAX = 10_000;
const CHAIN_ID = 84532;
const FIRST_BLOCK = 1_000;
const BLOCK_TIME_S = 2;
const REWARD_ID = "11111111-2222-4333-8444-555555555555";
const GROWTH_MAX_MB = 400;

const hashOf = (text: string): Hex => `0x${createHash("sha256").update(text).digest("hex")}`;
const LAST_BLOCK = FIRST_BLOCK + CLAIMS / CLAIMS_A_BLOCK;
const HEAD = LAST_BLOCK + 500;
const minedAt = (block: number) => toHex(1_790_000_000 + block * BLOCK_TIME_S);
const CLAIMED = toEventSelector("Claimed(uint256,address,uint256,bytes32)");
const ROOT = hashOf("root");
const DATA = encodeAbiParameters([{ type: "uint256" }, { type: "bytes32" }], [5n, ROOT]);

/** Makes the logs of a block in the form of an endpoint. */
function listLogs(block: number) {
  const first = (block - FIRST_BLOCK) * CLAIMS_A_BLOCK;
  if (block < FIRST_BLOCK || block >= LAST_BLOCK) return [];
  const blockHash = hashOf(`block ${block}`);
  return Array.from({ length: CLAIMS_A_BLOCK }, (_, i) => ({
    address: CAMPAIGN_CONTRACT_ADDRESS,
    topics: [CLAIMED, toHex(1, { size: 32 }), toHex(first + i + 1, { size: 32 })],
    data: DATA,
    blockNumber: toHex(block),
    blockHash,
    blockTimestamp: minedAt(block),
    transactionHash: hashOf(`transaction ${first + i}`),
    transactionIndex: toHex(i),
    logIndex: toHex(i),
    removed: false,
  }));
}

/** Starts an endpoint that has a million claims of one airdrop, and refuses large answers. */
function startEndpoint() {
  const toBlock = (number: number) => ({
    number: toHex(number),
    hash: hashOf(`block ${number}`),
    timestamp: minedAt(number),
  });
  return startHttpFake((_request, body, response) => {
    const { id, method, params } = JSON.parse(body);
    const reply = (result: unknown) => sendJson(response, { jsonrpc: "2.0", id, result });
    if (method === "eth_chainId") return reply(toHex(CHAIN_ID));
    if (method === "eth_getBlockByNumber") {
      const [which] = params;
      const names: Record<string, number> = { latest: HEAD, finalized: HEAD - 100 };
      return reply(toBlock(names[which] ?? Number(which)));
    }
    const { fromBlock, toBlock: last } = params[0];
    const blocks = Number(last) - Number(fromBlock) + 1;
    if (blocks * CLAIMS_A_BLOCK > LOGS_A_CALL_MAX && Number(fromBlock) < LAST_BLOCK) {
      const message = `query returned more than ${LOGS_A_CALL_MAX} results`;
      return sendJson(response, { jsonrpc: "2.0", id, error: { code: -32005, message } });
    }
    reply(Array.from({ length: blocks }, (_, i) => listLogs(Number(fromBlock) + i)).flat());
  });
}

/**
 * Measures how fast a million claims of one campaign are read and applied, with the endpoint in the
 * same process, and how much memory that takes.
 */
export function measureClaims(): Promise<Row[]> {
  return withCleanUp(async (defer) => {
    const cluster = await startCluster(defer);
    const location = await cluster.createDatabase("claims");
    await migrateDatabase(location);
    const sql = connect(location);
    defer(() => sql.end({ timeout: 1 }));
    await sql`insert into operators (id, email, name, password_hash)
      values (${REWARD_ID}, 'bench@example.com', 'Bench', '-')`;
    await sql`insert into point_systems (id, short_id, operator_id, name, slug)
      values (${REWARD_ID}, '0B1C', ${REWARD_ID}, 'Bench', 'bench')`;
    await sql`insert into rewards (point_system_id, id, kind, campaign_id, campaign_name, token_type,
        token_symbol, token_decimals, chain_id, total_amount_wei, status)
      values (${REWARD_ID}, ${REWARD_ID}, 'token', 'CMP-bench', 'Bench', 'ethereum', 'ETH', 18,
        ${CHAIN_ID}, ${CLAIMS * 5}, 'distributed')`;
    await sql`insert into airdrops (point_system_id, reward_id, chain_id, contract_address, onchain_id,
        status, creation_block)
      values (${REWARD_ID}, ${REWARD_ID}, ${CHAIN_ID}, decode(${CAMPAIGN_CONTRACT_ADDRESS.slice(2)}, 'hex'),
        1, 'active', ${FIRST_BLOCK})`;
    await sql`insert into merkle_buckets (point_system_id, reward_id, bucket, root, total_amount_wei)
      values (${REWARD_ID}, ${REWARD_ID}, 0, decode(${ROOT.slice(2)}, 'hex'), ${CLAIMS * 5})`;
    console.error(`  filling ${CLAIMS.toLocaleString("en")} shares`);
    await sql`insert into distributions (point_system_id, reward_id, address, amount_wei, bucket, leaf_index)
      select ${REWARD_ID}, ${REWARD_ID}, decode(lpad(to_hex(n + 1), 40, '0'), 'hex'), 5, 0, n
      from generate_series(0, ${CLAIMS - 1}) n`;
    const endpoint = await startEndpoint();
    defer(endpoint.stop);
    openDatabase({ address: location, connectionsMax: 4, statementTimeoutMs: 0, deadlineMs: 0 });
    defer(closeDatabase);
    openChains({ RPC_URL_84532: [endpoint.url] });
    const follower = createChainFollower({ everyMs: 0, compareEveryMs: 3_600_000 });
    const rssBefore = process.memoryUsage.rss();
    let rssMax = rssBefore;
    const startedAt = performance.now();
    while (await follower.look(CHAIN_ID)) rssMax = Math.max(rssMax, process.memoryUsage.rss());
    const seconds = (performance.now() - startedAt) / 1_000;
    await follower.close();
    const [row] = await sql<{ claimed: number }[]>`
      select count(*)::int as claimed from distributions where claimed_at is not null`;
    if (row?.claimed !== CLAIMS) throw new Error(`${row?.claimed} of ${CLAIMS} are claimed`);
    const name = `${CLAIMS.toLocaleString("en")} claims of a campaign, from an endpoint`;
    return [
      createRow(`${name}: logs read and applied`, CLAIMS / seconds, "1/s"),
      createCeilingRow(
        `${name}: memory grows by`,
        (rssMax - rssBefore) / 2 ** 20,
        GROWTH_MAX_MB,
        "MB",
      ),
    ];
  });
}
