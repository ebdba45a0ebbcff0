import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";
import { Button } from "./button";

const SHOWN_MS = 2_000;

type CopyState = "idle" | "copied" | "failed";

const MESSAGES: Record<CopyState, string> = {
  idle: "",
  copied: "Copied",
  failed: "Copy failed",
};

/** Returns whether a text was copied a moment ago, with the function that copies it. */
function useCopying(text: string) {
  const [state, setState] = useState<CopyState>("idle");
  useEffect(() => {
    if (state === "idle") return;
    const timer = setTimeout(() => setState("idle"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => setState((await copyText(text)) ? "copied" : "failed");
  return { state, message: MESSAGES[state], copy };
}

/** Copies a text, with a button in words. Without scripts it only keeps its place. */
export function CopyTextButton({ text, label }: { text: string; label: string }) {
  const isHydrated = useIsHydrated();
  const { state, message, copy } = useCopying(text);
  return (
    <span className={isHydrated ? "inline-flex" : "invisible inline-flex"}>
      <Button variant="quiet" size="small" onClick={copy} title={text}>
        {state === "copied" ? (
          <Check aria-hidden="true" className="size-4 text-success" />
        ) : (
          <Copy aria-hidden="true" className="size-4" />
        )}
        {label}
      </Button>
      <span role="status" className="sr-only">
        {message}
      </span>
    </span>
  );
}

/** Copies a text. Without scripts it cannot, and only keeps its place. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const isHydrated = useIsHydrated();
  const { state, message, copy } = useCopying(text);
  return (
    <span className={isHydrated ? "inline-flex" : "invisible inline-flex"}>
      <button
        type="button"
        aria-label={`Copy ${label}`}
        title={message || `Copy ${label}`}
        onClick={copy}
        className="inline-flex size-7 items-center justify-center rounded-md text-ink-muted hover:bg-sunken hover:text-ink"
      >
        {state === "copied" ? (
          <Check aria-hidden="true" className="size-4 text-success" />
        ) : (
          <Copy aria-hidden="true" className="size-4" />
        )}
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
