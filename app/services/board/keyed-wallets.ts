import { toArrayLiteral } from "../../db/array-literal";
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

/** Questions of one point system. */
interface Questions {
  readonly pointSystemId: string;
  readonly questions: readonly Question[];
}

/** A row of the statement: bigint columns arrive as text. */
interface Row extends KeyFinding {
  readonly n: string;
  readonly points: string | null;
  readonly events: string;
  readonly rank: string | null;
}

/** The database's answer for a key, and the entry of the wallet that it asked for. */
interface KeyedEntry {
  readonly finding: KeyFinding;
  /** Null for a wallet without a row, one that is not ranked yet, and a key that does not reach the point system. */
  readonly entry: WalletEntry | null;
}

const ONE_QUESTION = "select $2::bytea as token_hash, $3::bytea as address, 1 as n";
const QUESTIONS = `
  select token_hash, address, n
  from unnest((select $2::bytea[]), (select $3::bytea[])) with ordinality as u(token_hash, address, n)`;

/**
 * The statement that answers questions. A linked wallet has no row of its own, unless it is blacklisted and stands for
 * itself: `findWalletEntry` finds its primary one. There is no rank where the board has no counts yet.
 */
const toStatement = (questions: string) => `
  select q.n, ${KEY_COLUMNS}, w.points, w.events, w.rank
  from (select $1::uuid as point_system_id, u.* from (${questions}) u) q
  ${KEY_JOINS}
  left join lateral (
    select points, events, (
      select 1 + a.wallets from sum_wallets_ahead(point_system_id, points, address, true) a
    ) as rank
    from wallets
    where point_system_id = $1 and address = q.address and s.api_key_id is not null
    limit 1
  ) w on true`;

// With arrays, the statement for one question takes a tenth longer.
const STATEMENT_OF_ONE = toStatement(ONE_QUESTION);
const STATEMENT = toStatement(QUESTIONS);

const lookUpEntries = pipelinedQuery("reads", (db) => ({
  execute: ({ pointSystemId, questions }: Questions) => {
    const hashes = questions.map(({ tokenHash }) => tokenHash);
    const addresses = questions.map(({ address }) => Buffer.from(address.slice(2), "hex"));
    return questions.length === 1
      ? db.$client.unsafe<Row[]>(
          STATEMENT_OF_ONE,
          [pointSystemId, ...hashes, ...addresses],
          BATCH_STATEMENT,
        )
      : db.$client.unsafe<Row[]>(
          STATEMENT,
          [pointSystemId, toArrayLiteral(hashes), toArrayLiteral(addresses)],
          BATCH_STATEMENT,
        );
  },
}));

async function answer(questions: readonly Question[]): Promise<KeyedEntry[]> {
  const answers: KeyedEntry[] = [];
  // A batch is of one point system.
  const { pointSystemId } = questions[0] as Question;
  for (const row of await lookUpEntries({ pointSystemId, questions })) {
    const { n, id, permission, isInScope, points, events, rank } = row;
    const { address } = questions[Number(n) - 1] as Question;
    answers[Number(n) - 1] = {
      finding: { id, permission, isInScope },
      entry:
        points === null || rank === null
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
  countConnections: () => ({ sound: Number.POSITIVE_INFINITY, troubled: 0 }),
});

/**
 * Finds the entry of a wallet on the all-time board, and the key that asks for it. Where there is none,
 * `findWalletEntry` decides.
 * @throws {Failure} `service_unavailable` when the database does not answer in time
 */
export function findKeyedEntry(
  { tokenHash }: Credential,
  pointSystemId: string,
  address: Address,
): Promise<KeyedEntry> {
  return askForEntry({ tokenHash, pointSystemId: toScope(pointSystemId), address });
}
