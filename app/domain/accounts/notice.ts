/** The kinds of notices about an account, with the words before their detail. */
export const ACCOUNT_NOTICES = {
  new_device: "You signed in from a new browser:",
  credential: "Your sign-in was changed:",
  reset_link: "A link that sets your password was made by",
} as const;

export type AccountNoticeKind = keyof typeof ACCOUNT_NOTICES;
