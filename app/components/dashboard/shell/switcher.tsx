import { Link, useLocation } from "@remix-run/react";
import { Check, ChevronsUpDown, LayoutGrid, Plus } from "lucide-react";
import { Brand } from "../../page/brand";
import { Divider, getItemClass, getOpener, Panel } from "../../ui/menu";
import { Monogram } from "./monogram";
import { SandboxBadge } from "./sandbox-badge";
import { findSection, getSectionPath } from "./sections";

export interface NavigationSystem {
  readonly id: string;
  readonly name: string;
  readonly isSandbox: boolean;
}

const PANEL_ID = "point-systems";

/** Shows the current point system, and leads to the same page of every other one. */
export function Switcher({
  pointSystems,
  currentId,
}: {
  pointSystems: readonly NavigationSystem[];
  currentId: string | null;
}) {
  const section = findSection(useLocation().pathname);
  const current = pointSystems.find(({ id }) => id === currentId);
  return (
    <>
      <button
        {...getOpener(PANEL_ID)}
        type="button"
        title={current?.name}
        aria-label={`${current?.name ?? "Points and Rewards"}${current?.isSandbox ? ", sandbox" : ""}, switch point system`}
        className="flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-lg px-2 text-left text-sm font-semibold hover:bg-sunken"
      >
        {current ? (
          <>
            <Monogram name={current.name} />
            <span className="min-w-0 flex-1 truncate">{current.name}</span>
            <SandboxBadge isSandbox={current.isSandbox} />
          </>
        ) : (
          <span className="min-w-0 flex-1">
            <Brand />
          </span>
        )}
        <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-ink-muted" />
      </button>
      <Panel
        id={PANEL_ID}
        label="Point systems"
        className="fixed m-0 left-3 right-auto top-16 w-72 max-w-[calc(100vw-1.5rem)]"
      >
        <ul>
          {pointSystems.map(({ id, name, isSandbox }) => (
            <li key={id}>
              <Link
                to={getSectionPath(id, section)}
                aria-current={id === currentId ? "true" : undefined}
                className={getItemClass(id === currentId)}
              >
                <Monogram name={name} />
                <span className="min-w-0 flex-1 truncate">{name}</span>
                <SandboxBadge isSandbox={isSandbox} />
                {id === currentId && <Check aria-hidden="true" className="size-4 shrink-0" />}
              </Link>
            </li>
          ))}
        </ul>
        {pointSystems.length > 0 && <Divider />}
        <Link to="/dashboard" className={getItemClass()}>
          <LayoutGrid aria-hidden="true" className="size-4 text-ink-muted" />
          All point systems
        </Link>
        <Link to="/dashboard/new" className={getItemClass()}>
          <Plus aria-hidden="true" className="size-4 text-ink-muted" />
          New point system
        </Link>
      </Panel>
    </>
  );
}
