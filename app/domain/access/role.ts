/** The roles of a point system, the most powerful first. */
const ROLES = ["owner", "editor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

/** The roles that an owner can give to others; a point system has one owner. */
export const MEMBER_ROLES = ["editor", "viewer"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** The roles that may do everything that `Needed` may. */
export type AtLeast<Needed extends Role> = Needed extends "viewer"
  ? Role
  : Needed extends "editor"
    ? "owner" | "editor"
    : "owner";

/** Checks whether a role may do everything that another one may. */
export function includesRole<Needed extends Role>(
  role: Role,
  needed: Needed,
): role is AtLeast<Needed> {
  return ROLES.indexOf(role) <= ROLES.indexOf(needed);
}
