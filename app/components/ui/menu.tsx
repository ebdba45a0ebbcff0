import { useLocation } from "@remix-run/react";
import { type ReactNode, type RefObject, useEffect, useRef } from "react";

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
 */
export function Panel({
  id,
  label,
  className,
  children,
}: {
  id: string;
  label: string;
  className: string;
  children: ReactNode;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useClosing(panel);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      ref={panel}
      id={id}
      {...POPOVER}
      role="group"
      aria-label={label}
      className={`${className} m-0 max-h-[calc(100dvh-5rem)] overflow-y-auto overscroll-contain rounded-xl border border-line bg-raised p-1.5 text-sm text-ink shadow-lg`}
    >
      {children}
    </div>
  );
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
