import { Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useIsHydrated } from "../../hooks/use-is-hydrated";
import type { PaletteProps } from "./palette-commands";

const loadPalette = () => import("./command-palette");
const CommandPalette = lazy(loadPalette);

/**
 * Opens the command palette with a button or with Ctrl-K (Cmd-K). The palette is loaded when it is
 * first used. Without scripts there is no palette, and the pages have their links.
 */
export function PaletteTrigger(props: PaletteProps) {
  const isHydrated = useIsHydrated();
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const opener = useRef<HTMLElement | null>(null);

  async function open() {
    const { activeElement } = document;
    const isSomewhere = activeElement instanceof HTMLElement && activeElement !== document.body;
    opener.current = isSomewhere ? activeElement : button.current;
    // When the palette cannot be loaded, nothing opens, and the next press tries again.
    if (await loadPalette().catch(() => null)) setIsOpen(true);
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: it uses nothing that changes
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isShortcut = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isShortcut || event.key.toLowerCase() !== "k") return;
      // Browsers would start a web search.
      event.preventDefault();
      if (!event.repeat) void open();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);

  const key = isHydrated && /mac|iphone|ipad/i.test(navigator.platform) ? "⌘ K" : "Ctrl K";
  return (
    <div className={isHydrated ? "shrink-0 md:mx-3 md:mt-2" : "invisible shrink-0 md:mx-3 md:mt-2"}>
      <button
        ref={button}
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => void open()}
        onPointerEnter={() => void loadPalette().catch(() => null)}
        className="inline-flex min-h-10 items-center gap-2 rounded-lg border border-line bg-surface px-3 text-sm text-ink-muted hover:bg-sunken hover:text-ink md:w-full"
      >
        <Search aria-hidden="true" className="size-4 shrink-0" />
        <span className="sr-only flex-1 text-left md:not-sr-only">Search</span>
        <span aria-hidden="true" className="hidden font-sans text-xs md:inline">
          {key}
        </span>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <CommandPalette {...props} opener={opener.current} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
