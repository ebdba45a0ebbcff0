/** The permissions to choose from, in the words of the interface, each with what it unlocks. */
export const PERMISSION_OPTIONS = [
  {
    value: "trigger",
    label: "trigger",
    hint: "For backends that credit points and register wallets. It cannot read.",
  },
  {
    value: "read",
    label: "read",
    hint: "Reads the leaderboard, wallets, activity, rewards, points and scores. It cannot credit points.",
  },
  {
    value: "all",
    label: "all",
    hint: "Trigger and read in one key.",
  },
  {
    value: "manage",
    label: "manage",
    hint: "Manages the point systems that you own: triggers, keys, imports, campaigns, webhooks. It cannot call other endpoints.",
  },
] as const;
