import type { Role } from "./role";

// The pages of a point system, and who may do what there. docs/roles.md is written from this table, and
// tests/server/roles.deep.test.ts tries each cell.

/** One page: the role that sees it, and the role that its forms need. */
export interface PageRights {
  /** The thing that a reader sees. */
  readonly shows: string;
  readonly read: Role;
  readonly write?: Role;
  /** The forms by the value of the field `intent`, each with its effect. */
  readonly forms?: Readonly<Record<string, string>>;
  /** The forms that need another role than the page's other forms. */
  readonly alone?: Readonly<Record<string, { readonly role: Role; readonly does: string }>>;
}

/** The pages by their paths beneath /dashboard/:pointSystemId. */
export const PAGES = {
  "": { shows: "Overview, and the point system in the navigation", read: "viewer" },
  live: { shows: "Live feed of the overview", read: "viewer" },
  program: { shows: "Weekly figures, tiers and seasons of the program", read: "viewer" },
  "program.csv": { shows: "Figures of the program as CSV", read: "viewer" },
  requests: { shows: "Requests of API keys", read: "viewer" },
  triggers: {
    shows: "Triggers",
    read: "viewer",
    write: "editor",
    forms: { state: "Switch a trigger on or off in the list" },
  },
  "triggers/new": {
    shows: "Form of a new trigger",
    read: "editor",
    write: "editor",
    forms: { "": "Create a trigger" },
  },
  "triggers/:triggerKey": {
    shows: "A trigger",
    read: "viewer",
    write: "editor",
    forms: {
      update: "Change a trigger",
      state: "Switch a trigger on or off",
      test: "Test-fire a trigger",
      delete: "Delete a trigger",
    },
  },
  boosts: { shows: "Boosts", read: "viewer" },
  "boosts/new": {
    shows: "Form of a new boost",
    read: "editor",
    write: "editor",
    forms: { "": "Create a boost" },
  },
  "boosts/:boostId": {
    shows: "A boost",
    read: "viewer",
    write: "editor",
    forms: { update: "Change a boost", end: "End a boost", delete: "Delete a boost" },
  },
  leaderboard: { shows: "Leaderboard", read: "viewer" },
  "leaderboard.csv": { shows: "Leaderboard or board as CSV", read: "viewer" },
  boards: { shows: "Boards", read: "viewer" },
  "boards/new": {
    shows: "Form of a new board",
    read: "editor",
    write: "editor",
    forms: { "": "Create a board" },
  },
  "boards/:board": {
    shows: "A board and its past windows",
    read: "viewer",
    write: "editor",
    forms: { update: "Change a board", end: "End a board", delete: "Delete a board" },
  },
  progress: {
    shows: "Tiers and streaks",
    read: "viewer",
    write: "editor",
    forms: { "": "Change the tiers" },
  },
  "streaks/new": {
    shows: "Form of a new streak",
    read: "editor",
    write: "editor",
    forms: { "": "Create a streak" },
  },
  "streaks/:streakKey": {
    shows: "A streak",
    read: "viewer",
    write: "editor",
    forms: { update: "Change a streak", delete: "Delete a streak" },
  },
  "wallets/:address": {
    shows: "A wallet, its history, rewards and notes",
    read: "viewer",
    write: "editor",
    forms: {
      grant: "Grant points",
      register: "Register a wallet",
      void: "Void an event",
      blacklist: "Blacklist a wallet",
      pardon: "Take a wallet off the blacklist",
      reverse: "Reverse a spend of a wallet",
      link: "Link a wallet to a primary one",
      unlink: "Unlink a wallet",
      note: "Add a note to a wallet",
      deleteNote: "Delete a note on a wallet",
    },
  },
  "wallets/:address/score": {
    shows: "A wallet's score",
    read: "viewer",
    write: "editor",
    forms: { compute: "Compute a score again" },
  },
  spends: {
    shows: "Spends",
    read: "viewer",
    write: "editor",
    forms: { reverse: "Reverse a spend" },
  },
  "spends.csv": { shows: "Spends as CSV", read: "viewer" },
  activity: { shows: "Activity", read: "viewer" },
  "activity.csv": { shows: "Activity as CSV", read: "viewer" },
  imports: {
    shows: "Imports",
    read: "viewer",
    write: "editor",
    forms: { "": "Upload an import" },
  },
  "imports/:importId": {
    shows: "An import",
    read: "viewer",
    write: "editor",
    forms: {
      layout: "Change an import's columns",
      commit: "Commit an import",
      undo: "Undo an import",
      retry: "Take an import up again",
      delete: "Discard an import",
    },
  },
  "imports/:importId/problems.csv": { shows: "An import's problems as CSV", read: "viewer" },
  blacklist: {
    shows: "Blacklist",
    read: "viewer",
    write: "editor",
    forms: { add: "Blacklist many wallets", remove: "Take wallets off the blacklist" },
  },
  "blacklist.csv": { shows: "Blacklist as CSV", read: "viewer" },
  "audit-log": { shows: "Audit log; viewers see no addresses", read: "viewer" },
  "audit-log.csv": { shows: "Audit log as CSV", read: "viewer" },
  "audit-log.jsonl": { shows: "Audit log as JSON lines", read: "viewer" },
  webhooks: {
    shows: "Webhooks",
    read: "viewer",
    write: "editor",
    forms: { create: "Create a webhook" },
  },
  "webhooks/:webhookId": {
    shows: "A webhook",
    read: "viewer",
    write: "editor",
    forms: {
      update: "Change a webhook",
      test: "Send a test to a webhook",
      off: "Switch a webhook off",
      on: "Switch a webhook on",
      replay: "Replay deliveries since a time",
      rotate: "Rotate a webhook's secret",
      delete: "Delete a webhook",
    },
  },
  "webhooks/:webhookId/deliveries/:seq": {
    shows: "A delivery of a webhook",
    read: "viewer",
    write: "editor",
    forms: { replay: "Replay a delivery", skip: "Skip a delivery" },
  },
  members: {
    shows: "Members; viewers see no addresses",
    read: "viewer",
    write: "owner",
    forms: {
      invite: "Invite editors and viewers",
      revoke: "Revoke an invitation",
      role: "Change a member's role",
      remove: "Remove a member",
      transfer: "Transfer ownership",
    },
    alone: { leave: { role: "viewer", does: "Leave the point system (not its owner)" } },
  },
  settings: {
    shows: "Settings",
    read: "viewer",
    write: "owner",
    forms: {
      update: "Change name and slug",
      "contract-wallets": "Choose the chain of contract wallets",
      clear: "Clear a sandbox",
      delete: "Delete the point system",
    },
  },
  branding: {
    shows: "Branding",
    read: "viewer",
    write: "owner",
    forms: { "": "Change the branding" },
  },
  search: { shows: "Search of the palette", read: "viewer" },
  rewards: { shows: "Rewards", read: "viewer" },
  "rewards/new": {
    shows: "Form of a new campaign",
    read: "editor",
    write: "editor",
    forms: { "": "Draft a campaign" },
  },
  "rewards/:rewardId": {
    shows: "A campaign",
    read: "viewer",
    write: "editor",
    forms: {
      delete: "Delete a campaign's draft",
      cancel: "Cancel a campaign",
      retry: "Build a campaign again",
      handOut: "Begin to pay a campaign by hand",
      round: "Start another round",
    },
  },
  "rewards/:rewardId/edit": {
    shows: "Form of a campaign's draft",
    read: "editor",
    write: "editor",
    forms: { "": "Change a campaign's draft" },
  },
  "rewards/:rewardId/preview": {
    shows: "Preview of a campaign's split",
    read: "viewer",
    write: "editor",
    forms: { publish: "Publish a campaign", split: "Split a campaign" },
  },
  "rewards/:rewardId/wallets": { shows: "A campaign's wallets", read: "viewer" },
  "rewards/:rewardId/wallets/:address": { shows: "A wallet in a campaign", read: "viewer" },
  "rewards/:rewardId/payouts": {
    shows: "A campaign's payouts",
    read: "viewer",
    write: "editor",
    forms: {
      pay: "Mark wallets as paid",
      unpay: "Take a payment back",
      file: "Mark the wallets of a file as paid",
    },
  },
  "rewards/:rewardId/chain": {
    shows: "A campaign on chain",
    read: "viewer",
    write: "editor",
    forms: { report: "Report a transaction", check: "Compare with the chain" },
    alone: { admin: { role: "owner", does: "Name a campaign's admin" } },
  },
  "rewards/:rewardId/chain/pay-out": {
    shows: "Paying a campaign out to everybody",
    read: "editor",
  },
  "rewards/:rewardId/payments.json": { shows: "The next shares to pay out", read: "editor" },
  "rewards/:rewardId/payments-safe.json": {
    shows: "A Safe's file that pays a campaign out",
    read: "editor",
  },
  "rewards/:rewardId/allocation.csv": { shows: "A campaign's shares as CSV", read: "viewer" },
  "rewards/:rewardId/claims.csv": { shows: "A campaign's claims as CSV", read: "viewer" },
  "rewards/:rewardId/trees.json": { shows: "A campaign's trees as JSON", read: "viewer" },
  "rewards/:rewardId/safe.json": { shows: "A Safe's file that funds a campaign", read: "editor" },
  "gift-cards/new": {
    shows: "Form of a new gift card reward",
    read: "editor",
    write: "editor",
    forms: { "": "Draft a gift card reward" },
  },
  "gift-cards/:rewardId": {
    shows: "A gift card reward; no role sees codes",
    read: "viewer",
    write: "editor",
    forms: {
      publish: "Publish a gift card reward",
      distribute: "Distribute gift cards",
      cancel: "Cancel a gift card reward",
      removeCodes: "Delete codes that are not assigned",
    },
  },
  "gift-cards/:rewardId/edit": {
    shows: "Form of a gift card reward",
    read: "editor",
    write: "editor",
    forms: { "": "Change a gift card reward" },
  },
  "gift-cards/:rewardId/recipients.csv": { shows: "A reward's recipients as CSV", read: "viewer" },
  "gift-cards/:rewardId/codes": {
    shows: "Form that adds codes",
    read: "editor",
    write: "editor",
    forms: { "": "Add codes" },
  },
} as const satisfies Readonly<Record<string, PageRights>>;
