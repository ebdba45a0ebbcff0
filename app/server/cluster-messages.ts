import type { DatabaseAddress } from "../db/pool";

// The messages between the processes of one service, see decision 041.

export type Role = "server" | "worker";

/** The primary's messages to a child. */
export type ToChild =
  | {
      readonly type: "begin";
      readonly role: Role;
      readonly address: DatabaseAddress;
      /** The number of the child, from 0 on. */
      readonly place: number;
      /** True for the child that makes the link to the set-up page. */
      readonly isFirst: boolean;
    }
  /** Whether every serving process serves. */
  | { readonly type: "complete"; readonly isComplete: boolean }
  | { readonly type: "stop"; readonly graceMs: number }
  /** The answer to `turn`. */
  | { readonly type: "turned" }
  /** No process accepts connections any more. */
  | { readonly type: "all-closed" };

/** A child's messages to the primary. */
export type ToPrimary =
  | { readonly type: "hello" }
  | { readonly type: "serving"; readonly url: string | null; readonly setUpUrl: string | null }
  | { readonly type: "failed"; readonly message: string }
  /** Whether somebody asks it for its readiness. */
  | { readonly type: "probed"; readonly isProbed: boolean }
  /** A request for a turn of the event loop that accepts the connections. */
  | { readonly type: "turn" }
  /** Another version has taken the database over. */
  | { readonly type: "outdated" }
  /** It accepts no more connections. */
  | { readonly type: "closed" };
