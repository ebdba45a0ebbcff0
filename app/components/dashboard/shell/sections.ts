/**
 * The sections of a point system, in the order of the navigation. The first is at the point
 * system's own path.
 */
export const SECTIONS = [
  { path: "", label: "Overview" },
  { path: "triggers", label: "Triggers" },
  { path: "leaderboard", label: "Leaderboard" },
  { path: "activity", label: "Activity" },
  { path: "rewards", label: "Rewards" },
  { path: "imports", label: "Import" },
  { path: "blacklist", label: "Blacklist" },
  { path: "members", label: "Members" },
  { path: "audit-log", label: "Audit log" },
  { path: "settings", label: "Settings" },
] as const;

/** The pages that belong to no point system. */
const GENERAL_SECTIONS = [
  { path: "api-keys", label: "API keys" },
  { path: "account", label: "Account" },
  { path: "operators", label: "Operators" },
  { path: "audit-log", label: "Account log" },
  { path: "score-providers", label: "Score providers" },
  { path: "indexer", label: "Claim indexer" },
] as const;

/** The paths of general sections that only administrators can open. */
const ADMINISTRATORS_SECTIONS: ReadonlySet<string> = new Set([
  "operators",
  "score-providers",
  "indexer",
]);

/** Lists the general sections that an operator can open. */
export function listGeneralSections(isAdministrator: boolean) {
  return GENERAL_SECTIONS.filter(
    ({ path }) => isAdministrator || !ADMINISTRATORS_SECTIONS.has(path),
  );
}

/** Finds the section that an open page belongs to, among those that every point system has. */
export function findSection(pathname: string): string {
  const [, , , first = ""] = pathname.split("/");
  // Gift cards have pages of their own, and are listed among the rewards.
  const section = first === "gift-cards" ? "rewards" : first;
  return SECTIONS.some(({ path }) => path === section) ? section : "";
}

/** Returns the path of a section of a point system. */
export function getSectionPath(pointSystemId: string, section: string): string {
  return section === "" ? `/dashboard/${pointSystemId}` : `/dashboard/${pointSystemId}/${section}`;
}
