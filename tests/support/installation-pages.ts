/** The accesses outside point systems: for every operator, or for administrators. */
type Standing = "operator" | "administrator";

/** The pages of accounts and of the installation, by their paths beneath /dashboard. */
export const INSTALLATION_PAGES = {
  "": { shows: "One's own point systems", needs: "operator" },
  new: {
    shows: "Form of a new point system",
    needs: "operator",
    forms: { "": "Create a point system" },
  },
  "api-keys": {
    shows: "One's own API keys",
    needs: "operator",
    forms: {
      create: "Create an API key for point systems that one may edit",
      delete: "Delete an own API key",
      remove: "Take another member's API key off the point systems that one owns",
    },
  },
  account: {
    shows: "One's own account and sessions",
    needs: "operator",
    forms: {
      rename: "Change one's name",
      dismiss: "Dismiss notices",
      password: "Change one's password",
      end: "End an own session",
      "end-others": "End one's other sessions",
    },
  },
  security: {
    shows: "One's own second factors",
    needs: "operator",
    forms: {
      "begin-passkey": "Begin to add a passkey",
      "add-passkey": "Add a passkey",
      "rename-passkey": "Rename a passkey",
      "remove-passkey": "Remove a passkey",
      "begin-app": "Begin to add an authenticator app",
      "confirm-app": "Add an authenticator app",
      "remove-app": "Remove an authenticator app",
      codes: "Make new recovery codes",
    },
  },
  "audit-log": { shows: "One's own actions; administrators see those of all", needs: "operator" },
  "audit-log.csv": { shows: "The same as CSV", needs: "operator" },
  "audit-log.jsonl": { shows: "The same as JSON lines", needs: "operator" },
  operators: {
    shows: "Operators and their invitations",
    needs: "administrator",
    forms: {
      invite: "Invite operators",
      revoke: "Revoke an invitation to the installation",
      reset: "Make a password link",
      end: "End an operator's sessions",
      factors: "Clear an operator's second factors",
      require: "Require a second factor",
      disable: "Disable an operator",
      enable: "Enable an operator",
      delete: "Delete an operator",
      administrator: "Make or unmake an administrator",
    },
  },
  theme: {
    shows: "The own point systems, in the place of the theme",
    needs: "operator",
    forms: { "": "Choose light or dark" },
  },
  "score-providers": { shows: "Providers of scores", needs: "administrator" },
  indexer: { shows: "Claim indexer", needs: "administrator" },
} as const satisfies Readonly<
  Record<string, { shows: string; needs: Standing; forms?: Readonly<Record<string, string>> }>
>;
