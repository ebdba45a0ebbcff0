import { PointsError } from "./errors.js";
import type { components } from "./openapi.js";
import { type Answer, type CallOptions, send } from "./transport.js";

type Schemas = components["schemas"];

type ActivityPage<Event> = Omit<Schemas["ListActivityAnswer"], "activity"> & { activity: Event[] };
interface Events {
  metadata: Schemas["DetailedPointEvent"];
  boost: Schemas["BoostedPointEvent"];
}
type EventOf<Include> = Include extends keyof Events ? Events[Include] : Schemas["PointEvent"];
type RewardsQuery = Schemas["ListRewardsQuery"];
type RewardsAnswer = Schemas["ListRewardsAnswer"];
type ScoreQuery = Omit<Schemas["GetScoreQuery"], "force"> & { force?: boolean | undefined };
/** A query of all pages: `limit` is the size of each. */
type EachQuery<Query> = Omit<Query, "page" | "around">;

export interface ClientOptions {
  /** The service's address, such as https://points.example.com. */
  baseUrl: string;
  /** An API key, for servers only. `getProof` and `getClaimStatus` need none. */
  apiKey?: string | undefined;
  /** Milliseconds for one attempt: 10,000 by default. */
  timeoutMs?: number | undefined;
  /** Milliseconds within which a failed attempt is followed by another: 60,000 by default. */
  retryForMs?: number | undefined;
  /** Hears of each attempt that failed and is followed by another, after the pause. */
  onRetry?: ((error: Error, pauseMs: number) => void) | undefined;
  /** Replaces the platform's fetch. */
  fetch?: typeof fetch | undefined;
}

export interface CreditOptions extends CallOptions {
  /** Your own id of what happened: it is credited once. By default a random one for each call. */
  idempotencyKey?: string | undefined;
}

/** The pages of an iterator that does not choose: the largest that the service answers. */
const PAGE_LIMIT = 200;

/**
 * Calls a points service. Methods are the operations of its OpenAPI document. They throw a
 * `PointsError`.
 */
export class PointsClient {
  readonly #options: ClientOptions;
  readonly #baseUrl: string;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#baseUrl = options.baseUrl.endsWith("/") ? options.baseUrl : `${options.baseUrl}/`;
  }

  /** Credits a trigger's points. `replayed` says that the key's credit was there before. */
  creditPoints(
    body: Schemas["CreditPointsBody"],
    options?: CreditOptions,
  ): Promise<Schemas["CreditPointsAnswer"] & { replayed: boolean }> {
    return this.#postOnce("trigger", body, options);
  }

  /** Credits up to 1,000 items, each with a verdict. An item without a key gets a random one. */
  async creditBatch(
    body: Schemas["CreditBatchBody"],
    options: CallOptions = {},
  ): Promise<Schemas["CreditBatchAnswer"]> {
    const items = body.items.map((item) => ({
      ...item,
      idempotencyKey: item.idempotencyKey ?? crypto.randomUUID(),
    }));
    const idempotencyKeys = items.map((item) => item.idempotencyKey);
    const sent = { ...body, items };
    const answer = await this.#post("trigger/batch", sent, options, { idempotencyKeys });
    return answer.body as Schemas["CreditBatchAnswer"];
  }

  /** Registers a wallet that has no points yet. */
  async registerWallet(
    body: Schemas["RegisterWalletBody"],
    options: CallOptions = {},
  ): Promise<Schemas["RegisterWalletAnswer"]> {
    return (await this.#post("wallets", body, options)).body as Schemas["RegisterWalletAnswer"];
  }

  /** Takes points from a wallet's balance, once for each idempotency key. */
  spendPoints(
    body: Schemas["SpendPointsBody"],
    options?: CreditOptions,
  ): Promise<Schemas["SpendPointsAnswer"] & { replayed: boolean }> {
    return this.#postOnce("spend", body, options);
  }

  /** Gives a spend back. A repeated call repeats the first answer. */
  async reverseSpend(
    body: Schemas["ReverseSpendBody"],
    options: CallOptions = {},
  ): Promise<Schemas["ReverseSpendAnswer"]> {
    return (await this.#post("spend/reverse", body, options)).body as Schemas["ReverseSpendAnswer"];
  }

  /** Gives what a wallet has earned, has spent and has left. */
  getBalance(
    query: Schemas["GetBalanceQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetBalanceAnswer"]> {
    return this.#get("balance", query, options);
  }

  /** Lists a page of the leaderboard, or with `around` the page of a wallet. */
  getLeaderboard(
    query: Schemas["GetLeaderboardQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetLeaderboardAnswer"]> {
    return this.#get("leaderboard", query, options);
  }

  /** Gives a wallet's points, events and rank. */
  getWallet(
    query: Schemas["GetWalletQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetWalletAnswer"]> {
    return this.#get("wallet", query, options);
  }

  /** Lists a page of point events, newest first. */
  listActivity<Include extends keyof Events | undefined = undefined>(
    query: Schemas["ListActivityQuery"] & { include?: Include },
    options?: CallOptions,
  ): Promise<ActivityPage<EventOf<Include>>> {
    return this.#get("activity", query, options);
  }

  /** Lists token rewards, or with `address` a wallet's part in each. */
  listRewards(
    query: RewardsQuery & { address: string },
    options?: CallOptions,
  ): Promise<Extract<RewardsAnswer, { address: unknown }>>;
  listRewards(
    query: RewardsQuery & { address?: never },
    options?: CallOptions,
  ): Promise<Exclude<RewardsAnswer, { address: unknown }>>;
  listRewards(query: RewardsQuery, options?: CallOptions): Promise<never> {
    return this.#get("rewards", query, options);
  }

  /** Gives the Merkle proof of a wallet's share. It needs no key. */
  getProof(
    query: Schemas["GetProofQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetProofAnswer"]> {
    return this.#get("rewards/proof", query, options, false);
  }

  /** Lists what a wallet can claim and has claimed. It needs no key. */
  getClaimStatus(
    query: Schemas["GetClaimStatusQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetClaimStatusAnswer"]> {
    return this.#get("rewards/claim-status", query, options, false);
  }

  /** Gives a wallet, by address or ENS name, in all point systems of the key. */
  getPoints(
    query: Schemas["GetPointsQuery"],
    options?: CallOptions,
  ): Promise<Schemas["GetPointsAnswer"]> {
    return this.#get("points", query, options);
  }

  /** Gives a wallet's reputation on public chains, 0 to 100. */
  getScore(query: ScoreQuery, options?: CallOptions): Promise<Schemas["GetScoreAnswer"]> {
    return this.#get("score", query, options);
  }

  /**
   * Yields the leaderboard, best first, a page at a time. No wallet comes twice while points only
   * grow; one that rises past the place that was reached is missed.
   */
  async *eachWallet(
    query: EachQuery<Schemas["GetLeaderboardQuery"]>,
    options?: CallOptions,
  ): AsyncGenerator<Schemas["WalletEntry"], void, undefined> {
    let last: Schemas["WalletEntry"] | undefined;
    for (let page = 1; ; page += 1) {
      const { leaderboard, pagination } = await this.getLeaderboard(
        { limit: PAGE_LIMIT, ...query, page },
        options,
      );
      for (const entry of leaderboard) {
        // A wallet that moved up pushes the last ones of a page onto the next.
        const isAfter =
          !last ||
          entry.points < last.points ||
          (entry.points === last.points && entry.address > last.address);
        if (!isAfter) continue;
        last = entry;
        yield entry;
      }
      if (page >= pagination.totalPages) return;
    }
  }

  /**
   * Yields point events, newest first, a page at a time: each that was there at the start comes once,
   * however many are added meanwhile.
   */
  async *eachEvent<Include extends keyof Events | undefined = undefined>(
    query: EachQuery<Schemas["ListActivityQuery"]> & { include?: Include },
    options?: CallOptions,
  ): AsyncGenerator<EventOf<Include>, void, undefined> {
    let lastDate: string | undefined;
    let idsOfDate = new Set<string>();
    for (let page = 1; ; page += 1) {
      const { activity, pagination } = await this.listActivity(
        { limit: PAGE_LIMIT, ...query, page },
        options,
      );
      for (const event of activity) {
        const { id, date } = event;
        // New events push those that were seen already onto the next page.
        if (lastDate !== undefined && (date > lastDate || idsOfDate.has(id))) continue;
        if (date !== lastDate) idsOfDate = new Set();
        lastDate = date;
        idsOfDate.add(id);
        yield event;
      }
      if (page >= pagination.totalPages) return;
    }
  }

  async #get<Body>(
    path: string,
    query: object,
    options: CallOptions = {},
    needsKey = true,
  ): Promise<Body> {
    const given = Object.entries(query).filter(
      ([, value]) => value !== undefined && value !== false,
    );
    const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return (await this.#send(`${path}?${parameters}`, {}, options, needsKey)).body as Body;
  }

  async #postOnce<Body>(
    path: string,
    body: object,
    options: CreditOptions = {},
  ): Promise<Body & { replayed: boolean }> {
    const { idempotencyKey = crypto.randomUUID() } = options;
    const answer = await this.#post(path, body, options, { idempotencyKey });
    const replayed = answer.headers.get("idempotent-replayed") === "true";
    return { ...(answer.body as Body), replayed };
  }

  /** @param keys with them, the same call is safe to send again: its error has them */
  #post(path: string, body: object, options: CallOptions, keys: Partial<PointsError> = {}) {
    const { idempotencyKey } = keys;
    const init = {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...(idempotencyKey != null && { "Idempotency-Key": idempotencyKey }),
      },
      body: JSON.stringify(body),
    };
    return this.#send(path, init, options, true).catch((error) => {
      throw error instanceof PointsError ? Object.assign(error, keys) : error;
    });
  }

  async #send(
    path: string,
    init: RequestInit,
    options: CallOptions,
    needsKey: boolean,
  ): Promise<Answer> {
    const { apiKey, timeoutMs = 10_000, retryForMs = 60_000, onRetry } = this.#options;
    if (needsKey && !apiKey) throw new TypeError("This call needs the client's option apiKey");
    const headers = needsKey ? { ...init.headers, Authorization: `Bearer ${apiKey}` } : {};
    // Called as a plain function: browsers refuse their fetch as a method of another object.
    const fetchOnce = this.#options.fetch ?? fetch;
    const request = { url: this.#baseUrl + path, init: { ...init, headers } };
    const { signal, timeoutMs: own = timeoutMs, retryForMs: ownRetries = retryForMs } = options;
    return send(request, fetchOnce, { signal, timeoutMs: own, retryForMs: ownRetries }, onRetry);
  }
}
