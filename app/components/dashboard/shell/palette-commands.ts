import type { Role } from "../../../domain/access/role";
import {
  findSection,
  getGeneralPath,
  getSectionPath,
  listGeneralGroups,
  POINT_SYSTEMS,
  SECTION_GROUPS,
} from "./sections";
import type { NavigationSystem } from "./switcher";

export interface PaletteProps {
  pointSystems: readonly (NavigationSystem & { role: Role })[];
  currentId: string | null;
  isAdministrator: boolean;
}

/** A command: one line of the palette. */
interface Command {
  /** Unique among all commands. */
  readonly id: string;
  readonly label: string;
  /** More words that find it. */
  readonly keywords?: readonly string[];
  /** The page that it opens; without one, it signs the operator out. */
  readonly to?: string;
}

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly Command[];
}

/** Lists the commands that the palette offers before anything is typed. */
export function listCommands(
  { pointSystems, currentId, isAdministrator }: PaletteProps,
  pathname: string,
): CommandGroup[] {
  const current = pointSystems.find(({ id }) => id === currentId);
  const section = findSection(pathname);
  const groups: CommandGroup[] = [
    {
      heading: current?.name ?? "",
      commands: current
        ? SECTION_GROUPS.flatMap(({ heading, sections }) =>
            sections
              .filter(({ isGeneral }) => !isGeneral)
              .map(({ path, label, keywords = [] }) => ({
                id: `page ${path}`,
                label,
                keywords: [...keywords, ...(heading ? [heading] : [])],
                to: getSectionPath(current.id, path),
              })),
          )
        : [],
    },
    {
      heading: "Switch to",
      commands: pointSystems
        .filter(({ id }) => id !== currentId)
        .map(({ id, name }) => ({
          id: `system ${id}`,
          label: name,
          keywords: ["switch", "point system"],
          to: getSectionPath(id, section),
        })),
    },
    { heading: "Actions", commands: listActions(current) },
    {
      heading: "Pages",
      commands: [
        { id: "general", label: POINT_SYSTEMS.label, to: getGeneralPath(POINT_SYSTEMS) },
        ...listGeneralGroups(isAdministrator).flatMap(({ sections }) =>
          sections.map((section) => ({
            id: `general ${section.path}`,
            label: section.label,
            keywords: section.keywords ?? [],
            to: getGeneralPath(section),
          })),
        ),
      ],
    },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

function listActions(current: { id: string; role: Role } | undefined): Command[] {
  const isEditor = current !== undefined && current.role !== "viewer";
  return [
    ...(isEditor
      ? [
          {
            id: "new trigger",
            label: "New trigger",
            keywords: ["create", "add"],
            to: `/dashboard/${current.id}/triggers/new`,
          },
          {
            id: "import",
            label: "Import points",
            keywords: ["csv", "upload"],
            to: `/dashboard/${current.id}/imports`,
          },
        ]
      : []),
    { id: "new key", label: "New API key", keywords: ["create", "add"], to: "/dashboard/api-keys" },
    {
      id: "new system",
      label: "New point system",
      keywords: ["create", "add"],
      to: "/dashboard/new",
    },
    { id: "sign out", label: "Sign out", keywords: ["log out", "leave"] },
  ];
}
