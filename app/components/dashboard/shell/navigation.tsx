import { Link, NavLink, useLocation } from "@remix-run/react";
import { type ReactNode, useEffect, useRef } from "react";
import { findSection, getSectionPath, listGeneralSections, SECTIONS } from "./sections";

export interface NavigationSystem {
  readonly id: string;
  readonly name: string;
}

/**
 * Lists the dashboard's pages. Every point system is one press away, on its page of the same kind
 * as the open one. The pages of the current point system are listed beneath it.
 */
export function Navigation({
  pointSystems,
  currentId,
  isAdministrator,
}: {
  pointSystems: readonly NavigationSystem[];
  currentId: string | null;
  isAdministrator: boolean;
}) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs after the current page changed
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav.current && current)
      nav.current.scrollLeft = current.offsetLeft - current.offsetWidth / 2;
  }, [pathname]);
  const section = findSection(pathname);
  return (
    <nav
      ref={nav}
      aria-label="Dashboard"
      className="order-last col-span-full flex gap-1 overflow-x-auto px-3 pb-2 md:order-none md:mt-4 md:block md:min-h-0 md:flex-1 md:space-y-0.5 md:overflow-y-auto md:py-1"
    >
      <NavigationLink to="/dashboard" end>
        Point systems
      </NavigationLink>
      {pointSystems.map(({ id, name }) =>
        id === currentId ? (
          <div key={id} className="flex gap-1 md:block md:space-y-0.5 md:pb-2">
            <p
              title={name}
              className="max-w-40 shrink-0 truncate px-3 py-2 text-sm font-semibold md:max-w-none"
            >
              {name}
            </p>
            {SECTIONS.map(({ path, label }) => (
              <NavigationLink
                key={path}
                to={getSectionPath(id, path)}
                end={path === ""}
                isCurrent={path !== "" && path === section}
              >
                <span className="md:pl-3">{label}</span>
              </NavigationLink>
            ))}
          </div>
        ) : (
          <NavigationLink key={id} to={getSectionPath(id, section)}>
            {name}
          </NavigationLink>
        ),
      )}
      <div className="flex gap-1 md:mt-2 md:block md:space-y-0.5 md:border-t md:border-line md:pt-2">
        {listGeneralSections(isAdministrator).map(({ path, label }) => (
          <NavigationLink key={path} to={`/dashboard/${path}`}>
            {label}
          </NavigationLink>
        ))}
      </div>
    </nav>
  );
}

function NavigationLink({
  to,
  end = false,
  isCurrent = false,
  children,
}: {
  to: string;
  end?: boolean;
  /** Whether the link is current although the page's path does not begin with its own. */
  isCurrent?: boolean;
  children: ReactNode;
}) {
  if (isCurrent) {
    return (
      <Link to={to} aria-current="page" className={getLook(true)}>
        {children}
      </Link>
    );
  }
  return (
    <NavLink to={to} end={end} className={({ isActive }) => getLook(isActive)}>
      {children}
    </NavLink>
  );
}

function getLook(isCurrent: boolean): string {
  const look = isCurrent
    ? "bg-sunken font-medium text-ink"
    : "text-ink-muted hover:bg-sunken hover:text-ink";
  return `block max-w-56 shrink-0 truncate rounded-lg px-3 py-2 text-sm -outline-offset-2 ${look}`;
}
