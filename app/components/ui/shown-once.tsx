import { type ReactNode, useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ButtonLink } from "./button-link";
import { Secret } from "./secret";

/**
 * Shows a new secret, only once. It is gone when the reader leaves the page, also from the browser's
 * history.
 */
export function ShownOnce({
  label,
  value,
  warning,
  goneText,
  doneHref,
  children,
}: {
  label: string;
  value: string;
  warning: string;
  /** Replaces the secret when the reader comes back. */
  goneText: string;
  /** The page to which the reader goes on. */
  doneHref: string;
  /** More that holds the secret, and is gone with it. */
  children?: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const [isGone, setIsGone] = useState(false);
  useEffect(() => {
    place.current?.focus();
    const forget = () => flushSync(() => setIsGone(true));
    window.addEventListener("pagehide", forget);
    return () => window.removeEventListener("pagehide", forget);
  }, []);
  return (
    <div className="space-y-4 p-4 text-sm sm:p-5">
      {isGone ? (
        <p>{goneText}</p>
      ) : (
        <div ref={place} tabIndex={-1} className="rounded-lg">
          <Secret label={label} value={value} warning={warning} />
          {children}
        </div>
      )}
      <ButtonLink to={doneHref} replace variant="quiet">
        I have copied it
      </ButtonLink>
    </div>
  );
}
