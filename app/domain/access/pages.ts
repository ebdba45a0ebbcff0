import { PAGES } from "./page-rights";
import type { Role } from "./role";

// Pages ask here who may do what. The answers are in the table of page-rights.ts.

export type PagePath = keyof typeof PAGES;
type WrittenPath = {
  [Path in PagePath]: (typeof PAGES)[Path] extends { write: Role } ? Path : never;
}[PagePath];

/** Returns the role that a page's reader needs. */
export function mayRead<Path extends PagePath>(path: Path): (typeof PAGES)[Path]["read"] {
  return PAGES[path].read;
}

/** Returns the role that the forms of a page need. */
export function mayWrite<Path extends WrittenPath>(path: Path): (typeof PAGES)[Path]["write"] {
  return PAGES[path].write;
}

/** Returns the role that leaves a point system. */
export function mayLeave(): "viewer" {
  return PAGES.members.alone.leave.role;
}

/** Returns the role that names a campaign's admin. */
export function mayNameAdmin(): "owner" {
  return PAGES["rewards/:rewardId/chain"].alone.admin.role;
}
