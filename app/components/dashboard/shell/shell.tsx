import { useLocation, useNavigation, useParams } from "@remix-run/react";
import { Menu } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Role } from "../../../domain/access/role";
import type { Theme } from "../../../domain/theme";
import { getOpener } from "../../ui/menu";
import { TableSkeleton } from "../../ui/skeleton";
import { AccountMenu } from "./account-menu";
import { NAVIGATION_ID, Navigation } from "./navigation";
import { OfflineGuard } from "./offline-guard";
import { PaletteTrigger } from "./palette-trigger";
import { SandboxBadge } from "./sandbox-badge";
import { type NavigationSystem, Switcher } from "./switcher";

export interface ShellProps {
  operator: { name: string; email: string; isAdministrator: boolean };
  pointSystems: readonly (NavigationSystem & { role: Role })[];
  theme: Theme;
  /** Stand before the page's own content, whatever the page. */
  notices: ReactNode;
  children: ReactNode;
}

/** Frames every dashboard page with a navigation bar: at the side, or on top of a narrow screen. */
export function Shell({ operator, pointSystems, theme, notices, children }: ShellProps) {
  const { pointSystemId = null } = useParams();
  const current = pointSystems.find(({ id }) => id === pointSystemId);
  return (
    <div className="md:grid md:min-h-screen md:grid-cols-[16rem_minmax(0,1fr)] md:bg-raised">
      <a
        href="#content"
        className="sr-only z-10 rounded-lg bg-raised px-4 py-2 focus:not-sr-only focus:fixed focus:left-3 focus:top-3"
      >
        Skip to the content
      </a>
      <Progress />
      <header className="sticky top-0 z-10 flex items-center gap-1 border-b border-line bg-raised px-2 py-1.5 md:h-screen md:flex-col md:items-stretch md:gap-0 md:border-b-0 md:p-0">
        <button
          {...getOpener(NAVIGATION_ID)}
          type="button"
          className="inline-flex size-11 shrink-0 items-center justify-center rounded-lg text-ink-muted hover:bg-sunken hover:text-ink md:hidden"
        >
          <Menu aria-hidden="true" className="size-5" />
          <span className="sr-only">Open the navigation</span>
        </button>
        <div className="min-w-0 flex-1 md:flex-none md:px-3 md:pt-3">
          <Switcher pointSystems={pointSystems} currentId={pointSystemId} />
        </div>
        <PaletteTrigger
          pointSystems={pointSystems}
          currentId={pointSystemId}
          isAdministrator={operator.isAdministrator}
        />
        <Navigation currentId={pointSystemId} isAdministrator={operator.isAdministrator} />
        <div className="md:border-t md:border-line md:px-3 md:py-1.5">
          <AccountMenu operator={operator} theme={theme} />
        </div>
      </header>
      <div className="min-w-0 md:border-l md:border-line md:bg-surface">
        <OfflineGuard />
        {notices && <div className="mx-auto w-full max-w-6xl px-4 pt-6 sm:px-8">{notices}</div>}
        <Content>
          {current?.isSandbox && (
            <p className="mb-4 flex flex-wrap items-center gap-x-2 text-sm text-ink-muted">
              <SandboxBadge isSandbox /> For tests: no public pages, test networks only.
            </p>
          )}
          {children}
        </Content>
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
