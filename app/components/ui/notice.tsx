import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";

const SHOWN_MS = 6_000;

const TONES = {
  success: "border-success/40 [--dot:var(--color-success)]",
  danger: "border-danger/40 [--dot:var(--color-danger)]",
} as const;

export interface NoticeText {
  id: string;
  text: string;
  tone: keyof typeof TONES;
}

/**
 * Shows a notice in a corner of the page. With JavaScript it disappears by itself, unless the
 * pointer or the focus is on it.
 */
export function Notice({ notice }: { notice: NoticeText | null }) {
  const isHydrated = useIsHydrated();
  const [current, setCurrent] = useState(notice);
  const [seenId, setSeenId] = useState(notice?.id);
  const [isHeld, setIsHeld] = useState(false);
  // The server sends a notice once: the next answer has none, and the shown one stays for its time.
  if (notice && notice.id !== seenId) {
    setSeenId(notice.id);
    setCurrent(notice);
  }
  useEffect(() => {
    if (!current || isHeld) return;
    const timer = setTimeout(() => setCurrent(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [current, isHeld]);
  const dismiss = () => {
    setCurrent(null);
    setIsHeld(false);
  };
  return (
    <div
      role="status"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="fixed bottom-4 right-4 z-30 max-w-[min(24rem,calc(100vw-2rem))]"
    >
      {current && (
        // A screen reader reads content that is added to the region, and not content that the
        // document came with.
        <div
          key={`${current.id} ${isHydrated}`}
          className={`flex items-start gap-3 rounded-xl border bg-raised py-3 pl-4 pr-2 text-sm shadow-lg ${TONES[current.tone]}`}
        >
          <span
            aria-hidden="true"
            className="mt-1.5 size-2 shrink-0 rounded-full bg-[rgb(var(--dot))]"
          />
          <p className="min-w-0 flex-1 break-words py-px">{current.text}</p>
          {isHydrated && (
            <button
              type="button"
              aria-label="Dismiss"
              onClick={dismiss}
              className="-my-0.5 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-muted hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </button>
          )}
        </div>
      )}
    </div>
  );
}
