import type { Address } from "../../domain/address";
import type { ScoreExplorer } from "../../domain/scores/chain";
import { SCORE_RULES } from "../../domain/scores/rules";
import { ProviderError } from "../rpc/provider";
import type { ListedTransaction, ListPage } from "./listing";
import type { AccountState } from "./node";

/** The history that an explorer lists for an account. */
export interface AccountHistory {
  readonly transactions: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** The newest times of sending, in seconds since 1970, newest first. */
  readonly sentAt: readonly number[];
}

/** No explorer returns more records of one list: page * offset stays below this. */
const WINDOW_RECORDS = 10_000;
/** Pages of one account's list that are read in each direction. */
const PAGES_MAX = 20;
const TIMES_MAX = SCORE_RULES.humanity.timesMax;

/**
 * Chains whose lists do not hold one transaction for each nonce. OP Mainnet was reset in 2021 and
 * used the old nonces again. ZKsync lists priority transactions, which have nonces of their own.
 */
const CHAINS_WITHOUT_PLAIN_NONCES: ReadonlySet<number> = new Set([10, 324]);

export interface HistoryQuestion {
  readonly list: ListPage;
  readonly explorer: ScoreExplorer;
  readonly chainId: number;
  readonly address: Address;
  readonly account: AccountState;
}

/**
 * Reads when an account that has transactions sent them.
 * @throws {ProviderError} `distrusted` when the list contradicts the nonce; `too_long`; the errors
 *   of the calls
 */
export function readHistory(question: HistoryQuestion): Promise<AccountHistory> {
  return question.account.hasCode ? readContractHistory(question) : readSentHistory(question);
}

/**
 * Reads the history of a person's account: the transactions in the list that the account sent
 * itself.
 */
async function readSentHistory(question: HistoryQuestion): Promise<AccountHistory> {
  const { account, address } = question;
  const { nonce } = account;
  const sent = new Map<string, ListedTransaction>();
  const isWhole = await walk(question, "txlist", "desc", (records) => {
    for (const record of records) {
      if (record.from !== address) continue;
      // Each nonce counts once: a reorganization between two pages can list a transaction twice.
      const key = record.nonce === null ? record.hash : String(record.nonce);
      if (!sent.has(key)) sent.set(key, record);
    }
    return sent.size >= Math.min(nonce, TIMES_MAX);
  });
  const found = [...sent.values()].sort((a, b) => b.time - a.time);
  const newest = found[0];
  const oldest = found.at(-1);
  if (!newest || !oldest) throw new ProviderError(isWhole ? "distrusted" : "too_long");
  checkNonces(question, found, isWhole);
  const isOldestKnown = isWhole || sent.size >= nonce;
  const first = isOldestKnown ? oldest : await findFirstSent(question);
  return {
    transactions: nonce,
    firstAt: toDate(Math.min(first.time, oldest.time)),
    lastAt: toDate(newest.time),
    sentAt: found.slice(0, TIMES_MAX).map(({ time }) => time),
  };
}

/**
 * Checks that a list is complete: one that stops short of the nonce or has holes is cut off or
 * behind.
 */
function checkNonces(
  { chainId, account }: HistoryQuestion,
  found: readonly ListedTransaction[],
  isWhole: boolean,
): void {
  // An authorization (EIP-7702) uses up a nonce without a transaction of the account itself.
  if (account.isDelegated || CHAINS_WITHOUT_PLAIN_NONCES.has(chainId)) return;
  const nonces = found.flatMap(({ nonce }) => nonce ?? []);
  if (nonces.length < found.length) return;
  const highest = Math.max(...nonces);
  const lowest = Math.min(...nonces);
  const isBehind = highest < account.nonce - 1;
  const hasHoles = highest - lowest + 1 > nonces.length;
  const isCutOff = isWhole && lowest > 0;
  if (isBehind || hasHoles || isCutOff) throw new ProviderError("distrusted");
}

async function findFirstSent(question: HistoryQuestion): Promise<ListedTransaction> {
  let first: ListedTransaction | undefined;
  await walk(question, "txlist", "asc", (records) => {
    first = records.find(({ from }) => from === question.address);
    return first !== undefined;
  });
  if (!first) throw new ProviderError("too_long");
  return first;
}

/**
 * Reads the history of an account with code. It sends nothing itself: the transactions that it took
 * part in count, each hash once.
 */
async function readContractHistory(question: HistoryQuestion): Promise<AccountHistory> {
  const times = new Map<string, number>();
  const take = (records: readonly ListedTransaction[]) => {
    for (const { hash, time } of records) times.set(hash, time);
    return false;
  };
  let firstTime = Number.POSITIVE_INFINITY;
  for (const action of ["txlist", "txlistinternal"] as const) {
    if (await walk(question, action, "desc", take)) continue;
    const [oldest] = await question.list({ action, sort: "asc", page: 1 });
    firstTime = Math.min(firstTime, oldest?.time ?? firstTime);
  }
  const sorted = [...times.values()].sort((a, b) => b - a);
  const [lastTime] = sorted;
  if (lastTime === undefined) throw new ProviderError("distrusted");
  return {
    transactions: times.size,
    firstAt: toDate(Math.min(firstTime, sorted.at(-1) ?? lastTime)),
    lastAt: toDate(lastTime),
    sentAt: sorted.slice(0, TIMES_MAX),
  };
}

/**
 * Reads a list page by page until `take` has enough.
 * @returns whether the list was read to its end
 */
async function walk(
  { list, explorer: { kind, recordsMax } }: HistoryQuestion,
  action: "txlist" | "txlistinternal",
  sort: "asc" | "desc",
  take: (records: readonly ListedTransaction[]) => boolean,
): Promise<boolean> {
  let page = 1;
  let from: { startBlock?: number; endBlock?: number } = {};
  for (let pages = 1; pages <= PAGES_MAX; pages += 1) {
    const records = await list({ action, sort, page, ...from });
    const isEnough = take(records);
    if (records.length < recordsMax) return true;
    if (isEnough) return false;
    page += 1;
    if (page * recordsMax <= WINDOW_RECORDS) continue;
    // The next window starts in the last block of this one: that block can have more records.
    const block = records.at(-1)?.block;
    const isStuck = block === undefined || block === (from.startBlock ?? from.endBlock);
    // Blockscout answers a query with `endblock` wrongly.
    if (isStuck || (sort === "desc" && kind === "blockscout")) return false;
    from = sort === "asc" ? { startBlock: block } : { endBlock: block };
    page = 1;
  }
  return false;
}

function toDate(seconds: number): Date {
  return new Date(seconds * 1_000);
}
