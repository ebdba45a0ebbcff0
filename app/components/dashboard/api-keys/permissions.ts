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
    hint: "For a backend that credits points. The key cannot read.",
  },
  {
    value: "read",
    label: PERMISSION_LABELS.read,
    hint: "For a website that shows the leaderboard, wallets and activity. The key cannot credit.",
  },
  {
    value: "all",
    label: PERMISSION_LABELS.all,
    hint: "The key can do both.",
  },
] as const;
