import { Link, useLocation, useNavigation } from "@remix-run/react";
import { X } from "lucide-react";
import { useRef } from "react";
import { getOpener, POPOVER, useClosing } from "../../ui/menu";
import {
  findSection,
  getGeneralPath,
  getSectionPath,
  listGeneralGroups,
  POINT_SYSTEMS,
  SECTION_GROUPS,
  type Section,
  type SectionGroup,
} from "./sections";

export const NAVIGATION_ID = "navigation";

/**
 * Lists the pages of the current point system, or the general ones. It stands at the side of a wide
 * screen, and is a drawer on a narrow one.
 */
export function Navigation({
  currentId,
  isAdministrator,
}: {
  currentId: string | null;
  isAdministrator: boolean;
}) {
  const drawer = useRef<HTMLElement>(null);
  useClosing(drawer);
  const currentPath = useCurrentPath(currentId);
  const groups: readonly SectionGroup[] =
    currentId === null
      ? [{ heading: null, sections: [POINT_SYSTEMS] }, ...listGeneralGroups(isAdministrator)]
      : SECTION_GROUPS;
  const getPath = (section: Section) =>
    currentId === null || section.isGeneral
      ? getGeneralPath(section)
      : getSectionPath(currentId, section.path);
  return (
    <nav
      ref={drawer}
      id={NAVIGATION_ID}
      {...POPOVER}
      aria-label="Dashboard"
      className="inset-y-0 left-0 right-auto m-0 h-dvh max-h-none w-72 max-w-[85vw] overflow-y-auto overscroll-contain border-0 border-r border-line bg-raised px-3 py-3 text-ink backdrop:bg-black/50 md:static md:block md:h-auto md:min-h-0 md:w-auto md:max-w-none md:flex-1 md:border-r-0 md:py-2"
    >
      <button
        {...getOpener(NAVIGATION_ID)}
        type="button"
        className="mb-2 ml-auto flex size-10 items-center justify-center rounded-lg text-ink-muted hover:bg-sunken hover:text-ink md:hidden"
      >
        <X aria-hidden="true" className="size-5" />
        <span className="sr-only">Close the navigation</span>
      </button>
      <div className="space-y-1 [@media(min-height:56rem)]:space-y-3">
        {groups.map(({ heading, sections }) => (
          <div key={sections[0]?.label}>
            {heading && (
              <p className="px-2.5 pb-0.5 text-xs [@media(min-height:50rem)]:pt-1 font-medium text-ink-muted">
                {heading}
              </p>
            )}
            <ul>
              {sections.map((section) => (
                <li key={section.label}>
                  <NavigationLink
                    section={section}
                    to={getPath(section)}
                    isCurrent={getPath(section) === currentPath}
                  />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  );
}

/**
 * Finds the path of the section that is open, or that is about to open: one alone is lit, also
 * while the next page loads.
 */
function useCurrentPath(currentId: string | null): string {
  const { pathname } = useLocation();
  const { state, location, formMethod } = useNavigation();
  const shown = state === "loading" && !formMethod ? location.pathname : pathname;
  if (currentId === null || !shown.startsWith(getSectionPath(currentId, ""))) return shown;
  return getSectionPath(currentId, findSection(shown));
}

function NavigationLink({
  section: { label, icon: Icon },
  to,
  isCurrent,
}: {
  section: Section;
  to: string;
  isCurrent: boolean;
}) {
  const look = isCurrent
    ? "bg-sunken font-medium text-ink"
    : "text-ink-muted hover:bg-sunken hover:text-ink";
  return (
    <Link
      to={to}
      aria-current={isCurrent ? "page" : undefined}
      className={`flex min-h-10 items-center gap-2.5 rounded-lg px-2.5 text-sm -outline-offset-2 md:min-h-6 [@media(min-width:48rem)_and_(min-height:50rem)]:min-h-7 [@media(min-width:48rem)_and_(min-height:56rem)]:min-h-8 ${look}`}
    >
      {Icon && (
        <Icon aria-hidden="true" className={`size-4 shrink-0 ${isCurrent ? "text-accent" : ""}`} />
      )}
      <span className="min-w-0 truncate">{label}</span>
    </Link>
  );
}
