/** What someone may do in a point system, the most first. */
const ROLES = ["owner", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** What an owner can let others be; a point system has one owner. */
export const MEMBER_ROLES = ["editor", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles that may do what `Needed` may. */
export type AtLeast<Needed extends Role> = Needed extends "viewer"
  ? Role
  : Needed extends "editor"
    ? "owner" | "editor"
    : "owner";

/** Whether a role may do what another one may. */
export function includesRole<Needed extends Role>(
  role: Role,
  needed: Needed,
): role is AtLeast<Needed> {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}
