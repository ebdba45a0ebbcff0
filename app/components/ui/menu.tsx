import { useLocation } from "@remix-run/react";
import { Ellipsis } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";
import { type ButtonSize, getButtonClass } from "./button";

/**
 * Returns the attributes of a button that opens and closes a panel. The browser itself does it, so
 * it works without scripts. React 18 does not know these attributes by their names in JSX.
 */
export function getOpener(panelId: string): Record<string, string> {
  return { popovertarget: panelId };
}

/** The attribute of an element that the browser shows over the page while it is open. */
export const POPOVER = { popover: "auto" } as const;

/**
 * Shows a panel over the page while it is open. Escape and a press outside of it close it, and so
 * does a navigation.
 * @param props.className its place: the panel is fixed
 * @param props.isInPage whether it stands open in the page instead
 */
export function Panel({
  id,
  label,
  className,
  isInPage = false,
  children,
}: {
  id: string;
  label: string;
  className: string;
  isInPage?: boolean;
  children: ReactNode;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useClosing(panel);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      ref={panel}
      id={id}
      {...(!isInPage && POPOVER)}
      role="group"
      aria-label={label}
      className={`${isInPage ? "max-w-lg" : className} max-h-[calc(100dvh-5rem)] overflow-y-auto overscroll-contain rounded-xl border border-line bg-raised p-1.5 text-sm text-ink shadow-lg`}
    >
      {children}
    </div>
  );
}

/**
 * Holds the rare actions of a page or of a row behind one button. The panel stands at the button, or in the
 * middle of the window in browsers without anchors.
 * @param props.id unique on the page
 * @param props.label names the button, such as “More actions”
 * @param props.hasProblems whether one of the actions was refused: without scripts it is then shown in the page
 */
export function ActionMenu({
  id,
  label,
  size,
  hasProblems = false,
  children,
}: {
  id: string;
  label: string;
  size?: ButtonSize;
  hasProblems?: boolean;
  children: ReactNode;
}) {
  const isInPage = !useIsHydrated() && hasProblems;
  return (
    <>
      <button
        {...getOpener(id)}
        type="button"
        aria-label={label}
        title={label}
        className={getButtonClass("quiet", size)}
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </button>
      <Panel id={id} label={label} className="anchored w-72" isInPage={isInPage}>
        {children}
      </Panel>
    </>
  );
}

/** Closes the menu that an element is in, if it is in one. */
export function closeMenuOf(element: HTMLElement | null) {
  element?.closest<HTMLElement>("[popover]")?.hidePopover();
}

/**
 * Gives the focus to the button of the menu that an element is in.
 * @returns false when it is in no menu
 */
export function focusOpenerOf(element: HTMLElement | null): boolean {
  const menu = element?.closest("[popover]");
  if (!menu) return false;
  document.querySelector<HTMLElement>(`[popovertarget="${CSS.escape(menu.id)}"]`)?.focus();
  return true;
}

/** Closes an open panel after a navigation. One that was opened before the scripts ran stays. */
export function useClosing(panel: RefObject<HTMLElement>) {
  const { key } = useLocation();
  const shownKey = useRef(key);
  useEffect(() => {
    if (shownKey.current === key) return;
    shownKey.current = key;
    if (panel.current?.matches(":popover-open")) panel.current.hidePopover();
  }, [key, panel]);
}

/** Returns the classes of a line of a panel. */
export function getItemClass(isCurrent = false): string {
  return `flex min-h-9 w-full min-w-0 items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-left -outline-offset-2 hover:bg-sunken ${isCurrent ? "bg-sunken font-medium" : ""}`;
}

/** Separates the lines of a panel into groups. */
export function Divider() {
  return <hr className="-mx-1.5 my-1.5 border-line" />;
}
