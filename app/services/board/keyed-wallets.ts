import { toBytesArray } from "../../db/array-literal";
import { BATCH_STATEMENT } from "../../db/batch-statement";
import { pipelinedQuery } from "../../db/client";
import type { Address } from "../../domain/address";
import { DATABASE_DEADLINE_MS } from "../../domain/deadline";
import {
  type Credential,
  KEY_COLUMNS,
  KEY_JOINS,
  type KeyFinding,
  toScope,
} from "../access/authorization";
import { createBatcher } from "../runtime/batcher";
import type { WalletEntry } from "./wallets";

// The entries of wallets, each in the statement that checks its caller's key: one way to PostgreSQL instead of two, and
// calls that arrive together share it (docs/decisions/093).

/** The calls that share a statement. */
const CALLS_A_BATCH = 16;

interface Question extends Credential {
  readonly pointSystemId: string;
  readonly address: Address;
}

/** A row of the statement: bigint columns arrive as text. */
interface Row extends KeyFinding {
  readonly n: string;
  readonly points: string | null;
  readonly events: string;
  readonly rank: string;
}

/** The database's answer for a key, and the entry of the wallet that it asked for. */
interface KeyedEntry {
  readonly finding: KeyFinding;
  /** Null when there is none, or the key does not reach the point system. */
  readonly entry: WalletEntry | null;
}

const lookUpEntries = pipelinedQuery("reads", (db) => ({
  execute: (questions: readonly Question[]) =>
    db.$client.unsafe<Row[]>(
      `select q.n, ${KEY_COLUMNS}, w.points, w.events, w.rank
       from (
         select token_hash, address, n, $1::uuid as point_system_id
         from unnest((select $2::bytea[]), (select $3::bytea[])) with ordinality as u(token_hash, address, n)
       ) q
       ${KEY_JOINS}
       left join lateral (
         select address from wallet_links where point_system_id = $1 and address = q.address limit 1
       ) l on true
       left join lateral (
         select points, events, rank_on_board(point_system_id, points, address) as rank from wallets
         where point_system_id = $1 and s.api_key_id is not null
           and address = case when l.address is null then q.address else find_primary($1, q.address) end
         limit 1
       ) w on true`,
      [
        questions[0]?.pointSystemId ?? null,
        toBytesArray(questions.map((question) => question.tokenHash.toString("hex"))),
        toBytesArray(questions.map((question) => question.address.slice(2))),
      ],
      BATCH_STATEMENT,
    ),
}));

async function answer(questions: readonly Question[]): Promise<KeyedEntry[]> {
  const answers: KeyedEntry[] = [];
  for (const row of await lookUpEntries(questions)) {
    const { n, id, permission, isInScope, points, events, rank } = row;
    const { address } = questions[Number(n) - 1] as Question;
    answers[Number(n) - 1] = {
      finding: { id, permission, isInScope },
      entry:
        points === null
          ? null
          : { address, points: Number(points), events: Number(events), rank: Number(rank) },
    };
  }
  return answers;
}

const askForEntry = createBatcher<Question, KeyedEntry>({
  name: "wallets",
  run: answer,
  callsMax: CALLS_A_BATCH,
  batchesMax: 2,
  waitingMax: 10_000,
  waitingOfGroupMax: 5_000,
  deadlineMs: DATABASE_DEADLINE_MS,
  group: ({ pointSystemId }) => pointSystemId,
  countConnections: () => Number.POSITIVE_INFINITY,
});

/**
 * Finds the entry of a wallet on the all-time board, as `findWalletEntry`, and the key that asks for it.
 * @throws {Failure} `service_unavailable` when the database does not answer in time
 */
export function findKeyedEntry(
  { tokenHash }: Credential,
  pointSystemId: string,
  address: Address,
): Promise<KeyedEntry> {
  return askForEntry({ tokenHash, pointSystemId: toScope(pointSystemId), address });
}
