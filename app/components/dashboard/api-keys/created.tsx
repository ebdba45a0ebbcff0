import { useEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { ButtonLink } from "../../ui/button-link";
import { Secret } from "../../ui/secret";

/**
 * Shows a new key, only once. It is gone when the reader leaves the page, also from the browser's
 * history.
 */
export function CreatedApiKey({ name, token }: { name: string; token: string }) {
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
        <p>The key was already shown and cannot be shown again.</p>
      ) : (
        <div ref={place} tabIndex={-1} className="rounded-lg">
          <Secret
            label={`The key of ${name}`}
            value={token}
            warning="Copy it now and store it where only your application can read it. It is not shown again, and it works for anyone who has it."
          />
        </div>
      )}
      <ButtonLink to="/dashboard/api-keys" replace variant="quiet">
        I have copied it
      </ButtonLink>
    </div>
  );
}
