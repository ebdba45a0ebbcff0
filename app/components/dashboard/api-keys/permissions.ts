/** The name of each permission, in a word or two. */
export const PERMISSION_LABELS = {
  trigger: "Trigger",
  read: "Read",
  all: "Trigger and read",
} as const;

/** The permissions to choose from, each with a line of explanation. */
export const PERMISSION_OPTIONS = [
  {
    value: "trigger",
    label: PERMISSION_LABELS.trigger,
    hint: "Fires triggers and reads nothing: for a backend that credits points.",
  },
  {
    value: "read",
    label: PERMISSION_LABELS.read,
    hint: "Reads the leaderboard, wallets and activity, and credits nothing: for a website.",
  },
  {
    value: "all",
    label: PERMISSION_LABELS.all,
    hint: "Does both.",
  },
] as const;
