/** Everything that the audit log can tell of, in the words in which it does. */
export const AUDIT_ACTIONS = {
  "point_system.create": "Created the point system",
  "point_system.update": "Changed the point system",
  "point_system.delete": "Deleted the point system",
  "trigger.create": "Created a trigger",
  "trigger.update": "Changed a trigger",
  "trigger.delete": "Deleted a trigger",
  "trigger.test": "Test-fired a trigger",
  "api_key.create": "Created an API key",
  "api_key.delete": "Deleted an API key",
  "wallet.grant": "Granted points",
  "event.void": "Voided an event",
  "blacklist.add": "Blacklisted wallets",
  "blacklist.remove": "Took wallets off the blacklist",
  "import.upload": "Uploaded an import",
  "import.commit": "Committed an import",
  "import.undo": "Undid an import",
  "import.delete": "Discarded an import",
  "member.invite": "Made an invitation link",
  "member.join": "Joined the point system",
  "member.update": "Changed a member's role",
  "member.remove": "Removed a member",
  "member.leave": "Left the point system",
  "invitation.revoke": "Revoked an invitation link",
  "operator.create": "Created an account",
  "operator.sign_in": "Signed in",
  "operator.update": "Changed the account",
  "operator.password": "Changed the password",
  "operator.reset_link": "Made a password reset link",
  "operator.reset": "Set a new password by a reset link",
  "member.transfer": "Transferred the ownership",
  "operator.administrator": "Changed who is an administrator",
  "session.end": "Ended a session",
  "campaign.admin": "Named a campaign's admin on chain",
  "campaign.chain": "Took a campaign's transaction from the chain",
  "campaign.reorg": "Took back a transaction that the chain dropped",
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

export function isAuditAction(text: string): text is AuditAction {
  return Object.hasOwn(AUDIT_ACTIONS, text);
}
