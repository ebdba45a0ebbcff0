import type { ExampleValues } from "../../domain/reference/example";

/** The groups of endpoints in the reference, in their order. */
export const GROUPS = {
  Crediting: "Give wallets points",
  Reading: "Read points, ranks and history",
  Spending: "Take points for what wallets buy with them",
  Rewards: "List rewards, and claim them on chain",
  Reputation: "Weigh a wallet by its past on public chains",
  Management: "Set up and run point systems by program, as the dashboard does",
} as const;

/** The words and examples of an endpoint that no declaration has. */
export interface EndpointProse {
  readonly operationId: string;
  readonly group: keyof typeof GROUPS;
  readonly title: string;
  /** When to call it. */
  readonly use: string;
  /** When to call something else. */
  readonly avoid: string;
  /** Its limits and rules, a sentence each. */
  readonly notes: readonly string[];
  /** The query or the body of the samples, by the names of the fields. */
  readonly request: (values: ExampleValues) => Readonly<Record<string, unknown>>;
  /** Headers of the samples beside the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** An answer to the samples. */
  readonly answer: (values: ExampleValues) => unknown;
}
