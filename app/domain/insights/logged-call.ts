/** A call as the dashboard lists it. */
export interface LoggedCall {
  readonly id: string;
  readonly requestId: string;
  readonly answeredAt: Date;
  readonly endpoint: string;
  readonly status: number;
  readonly code: string | null;
  /** The key's id and name; the name is null once the key is deleted. */
  readonly apiKeyId: string | null;
  readonly keyName: string | null;
  readonly tookMs: number;
}

/** The calls that a page of the log shows; null for any. */
export interface RequestFilter {
  readonly requestId: string | null;
  readonly endpoint: string | null;
  readonly apiKeyId: string | null;
  /** A failure's code; `refused` for all of them. */
  readonly code: string | null;
}
