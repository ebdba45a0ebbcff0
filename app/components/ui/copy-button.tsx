import { useEffect, useState } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";

const SHOWN_MS = 2_000;

/** Copies a text. Without scripts it cannot, and only keeps its place. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const isHydrated = useIsHydrated();
  const [state, setState] = useState<"idle" | "copied" | "failed">("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const message = { idle: "", copied: "Copied", failed: "Copy failed" }[state];
  return (
    <span className={isHydrated ? "inline-flex" : "invisible inline-flex"}>
      <button
        type="button"
        aria-label={`Copy ${label}`}
        title={message || `Copy ${label}`}
        onClick={async () => setState((await copyText(text)) ? "copied" : "failed")}
        className="inline-flex size-7 items-center justify-center rounded-md text-ink-muted hover:bg-sunken hover:text-ink"
      >
        <svg
          aria-hidden="true"
          viewBox="0 0 16 16"
          fill="none"
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
          className={`size-4 ${state === "copied" ? "stroke-success" : "stroke-current"}`}
        >
          {state === "copied" ? (
            <path d="m3 8.5 3.2 3.2L13 4.8" />
          ) : (
            <path d="M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2m-7-5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z" />
          )}
        </svg>
      </button>
      <span role="status" className="sr-only">
        {message}
      </span>
    </span>
  );
}

/**
 * Copies a text to the clipboard. Browsers withhold `navigator.clipboard` from plain http to
 * another machine; the old way works there.
 */
async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard) {
      await navigator.clipboard.writeText(text);
      return true;
    }
    const place = document.createElement("textarea");
    place.value = text;
    document.body.append(place);
    place.select();
    const isCopied = document.execCommand("copy");
    place.remove();
    return isCopied;
  } catch {
    return false;
  }
}
