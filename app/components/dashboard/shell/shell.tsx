import { Form, Link, useLocation, useNavigation, useParams } from "@remix-run/react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Role } from "../../../domain/access/role";
import { Brand } from "../../page/brand";
import { Button } from "../../ui/button";
import { TableSkeleton } from "../../ui/skeleton";
import { Navigation, type NavigationSystem } from "./navigation";
import { PaletteTrigger } from "./palette-trigger";

export interface ShellProps {
  operator: { name: string; email: string; isAdministrator: boolean };
  pointSystems: readonly (NavigationSystem & { role: Role })[];
  children: ReactNode;
}

/** Frames every dashboard page with a navigation bar: at the side, or on top of a narrow screen. */
export function Shell({ operator, pointSystems, children }: ShellProps) {
  const { pointSystemId = null } = useParams();
  return (
    <div className="md:grid md:min-h-screen md:grid-cols-[16rem_minmax(0,1fr)] md:bg-raised">
      <a
        href="#content"
        className="sr-only z-10 rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:left-3 focus:top-3"
      >
        Skip to the content
      </a>
      <Progress />
      <header className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-1 border-b border-line bg-raised md:sticky md:top-0 md:flex md:h-screen md:flex-col md:items-stretch md:border-b-0">
        <Link
          to="/dashboard"
          className="my-2 ml-2 min-w-0 rounded-lg p-2 text-sm md:mx-3 md:mt-4 md:text-base"
        >
          <Brand />
        </Link>
        <PaletteTrigger
          pointSystems={pointSystems}
          currentId={pointSystemId}
          isAdministrator={operator.isAdministrator}
        />
        <Navigation
          pointSystems={pointSystems}
          currentId={pointSystemId}
          isAdministrator={operator.isAdministrator}
        />
        <div className="flex min-w-0 items-center gap-3 py-2 pr-3 md:border-t md:border-line md:px-4 md:py-4">
          <Link to="/dashboard/account" className="min-w-0 flex-1 rounded" title="Account">
            <p className="max-w-16 truncate text-sm font-medium sm:max-w-40" title={operator.name}>
              {operator.name}
            </p>
            <p className="hidden truncate text-xs text-ink-muted md:block" title={operator.email}>
              {operator.email}
            </p>
          </Link>
          <Form method="post" action="/sign-out">
            <Button type="submit" variant="quiet" className="whitespace-nowrap">
              Sign out
            </Button>
          </Form>
        </div>
      </header>
      <div className="min-w-0 md:border-l md:border-line md:bg-surface">
        <Content>{children}</Content>
      </div>
    </div>
  );
}

/**
 * Holds the page. After a navigation it moves the focus to the new page's beginning, as loading a
 * document does.
 */
function Content({ children }: { children: ReactNode }) {
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shownPath = useRef(pathname);
  const isWaiting = useIsWaiting();
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <main
      ref={main}
      id="content"
      tabIndex={-1}
      className="mx-auto w-full max-w-6xl px-4 py-6 sm:px-8 sm:py-10"
    >
      <div hidden={isWaiting}>{children}</div>
      {isWaiting && (
        <div className="overflow-hidden rounded-xl border border-line bg-raised">
          <TableSkeleton rows={8} columns={3} />
        </div>
      )}
    </main>
  );
}

/** The time after which a navigation counts as slow, and a placeholder replaces the page. */
const GLANCE_MS = 400;

/**
 * Checks whether the next page has been awaited for a while. The answer to a form, and a filter,
 * stay on the page and do not count.
 */
function useIsWaiting(): boolean {
  const { pathname } = useLocation();
  const { state, location, formMethod } = useNavigation();
  const isOnItsWay = state === "loading" && !formMethod && location.pathname !== pathname;
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (!isOnItsWay) return;
    const timer = setTimeout(() => setIsLong(true), GLANCE_MS);
    return () => {
      clearTimeout(timer);
      setIsLong(false);
    };
  }, [isOnItsWay]);
  return isOnItsWay && isLong;
}

/** Shows a line at the top edge while the next page loads. */
function Progress() {
  const isIdle = useNavigation().state === "idle";
  return (
    <div
      aria-hidden="true"
      className={`fixed inset-x-0 top-0 z-10 h-0.5 bg-accent motion-safe:transition-opacity ${
        isIdle ? "opacity-0" : "opacity-100 motion-safe:animate-pulse"
      }`}
    />
  );
}
