import {
  Activity,
  Ban,
  Coins,
  Flame,
  Gift,
  House,
  KeyRound,
  type LucideIcon,
  Medal,
  Palette,
  Rocket,
  ScrollText,
  Settings,
  Trophy,
  Upload,
  Users,
  Waypoints,
  Webhook,
  Zap,
} from "lucide-react";

/** A page of the navigation. */
export interface Section {
  /** The path beneath the point system's own, or beneath the dashboard's for a general page. */
  readonly path: string;
  readonly label: string;
  /** None for general pages: every icon is a part of each page's first load. */
  readonly icon?: LucideIcon;
  /** More words that find it. */
  readonly keywords?: readonly string[];
  /** Whether it belongs to no point system, although it is among a point system's pages. */
  readonly isGeneral?: true;
}

/** Pages that belong together, with the name that stands above them. */
export interface SectionGroup {
  readonly heading: string | null;
  readonly sections: readonly Section[];
}

/** The pages of a point system, as the navigation has them. */
export const SECTION_GROUPS: readonly SectionGroup[] = [
  { heading: null, sections: [{ path: "", label: "Overview", icon: House }] },
  {
    heading: "Earn",
    sections: [
      { path: "triggers", label: "Triggers", icon: Zap },
      { path: "boosts", label: "Boosts", icon: Rocket, keywords: ["Double points"] },
      { path: "activity", label: "Activity", icon: Activity },
      { path: "imports", label: "Imports", icon: Upload, keywords: ["CSV"] },
    ],
  },
  {
    heading: "People",
    sections: [
      { path: "leaderboard", label: "Leaderboard", icon: Trophy, keywords: ["Wallets"] },
      { path: "boards", label: "Boards", icon: Medal, keywords: ["Seasons"] },
      { path: "spends", label: "Spends", icon: Coins, keywords: ["Balance"] },
      { path: "progress", label: "Tiers and streaks", icon: Flame, keywords: ["Bonuses"] },
      { path: "blacklist", label: "Blacklist", icon: Ban },
    ],
  },
  {
    heading: null,
    sections: [
      { path: "rewards", label: "Rewards", icon: Gift, keywords: ["Campaigns", "Gift cards"] },
    ],
  },
  {
    heading: "Developers",
    sections: [
      { path: "api-keys", label: "API keys", icon: KeyRound, isGeneral: true },
      { path: "webhooks", label: "Webhooks", icon: Webhook },
      { path: "requests", label: "Requests", icon: Waypoints },
    ],
  },
  {
    heading: "Settings",
    sections: [
      { path: "settings", label: "General", icon: Settings, keywords: ["Settings"] },
      { path: "branding", label: "Branding", icon: Palette, keywords: ["Logo", "Colour"] },
      { path: "members", label: "Members", icon: Users },
      { path: "audit-log", label: "Audit log", icon: ScrollText },
    ],
  },
];

/** The pages of the operator's own account. */
const ACCOUNT_GROUP: SectionGroup = {
  heading: "Account",
  sections: [
    { path: "account", label: "Account" },
    {
      path: "security",
      label: "Security",
      keywords: ["Passkeys", "Authenticator app", "Recovery codes"],
    },
    { path: "api-keys", label: "Integration", keywords: ["API keys"] },
    { path: "audit-log", label: "Account log" },
  ],
};

/** The pages of this installation, for administrators. */
const ADMINISTRATION_GROUP: SectionGroup = {
  heading: "Administration",
  sections: [
    { path: "operators", label: "Operators" },
    { path: "score-providers", label: "Score providers" },
    { path: "indexer", label: "Claim indexer" },
  ],
};

/** The page that lists the point systems. */
export const POINT_SYSTEMS: Section = {
  path: "",
  label: "Point systems",
};

/** Lists the groups of general pages that an operator can open. */
export function listGeneralGroups(isAdministrator: boolean): readonly SectionGroup[] {
  return isAdministrator ? [ACCOUNT_GROUP, ADMINISTRATION_GROUP] : [ACCOUNT_GROUP];
}

/** Finds the section that an open page belongs to, among those that every point system has. */
export function findSection(pathname: string): string {
  const [, , , first = ""] = pathname.split("/");
  // Some pages are beneath others without standing beneath their paths.
  const section =
    { "gift-cards": "rewards", wallets: "leaderboard", streaks: "progress" }[first] ?? first;
  const isKnown = SECTION_GROUPS.some(({ sections }) =>
    sections.some(({ path, isGeneral }) => path === section && !isGeneral),
  );
  return isKnown ? section : "";
}

/** Returns the path of a section of a point system. */
export function getSectionPath(pointSystemId: string, section: string): string {
  return section === "" ? `/dashboard/${pointSystemId}` : `/dashboard/${pointSystemId}/${section}`;
}

/** Returns the path of a general page. */
export function getGeneralPath({ path }: Section): string {
  return path === "" ? "/dashboard" : `/dashboard/${path}`;
}
