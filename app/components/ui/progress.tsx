import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";

/**
 * Shows how much of something is done.
 * @param props.value null before anything is known
 */
export function ProgressBar({
  label,
  value,
  max,
}: {
  label: string;
  value: number | null;
  max: number;
}) {
  return (
    <progress
      aria-label={label}
      max={Math.max(1, max)}
      {...(value !== null && { value })}
      className="block h-2 w-full appearance-none overflow-hidden rounded-full bg-sunken motion-safe:indeterminate:animate-pulse [&::-moz-progress-bar]:bg-fill [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-fill"
    />
  );
}

/** Shows the worker's progress. A page without scripts has a link that reloads it. */
export function Progress({
  label,
  value,
  max,
  children,
}: {
  label: string;
  /** Null before anything is known. */
  value: number | null;
  max: number;
  children: ReactNode;
}) {
  const isHydrated = useIsHydrated();
  return (
    <div>
      <ProgressBar label={label} value={value} max={max} />
      <p className="mt-2 text-ink-muted">{children}</p>
      {!isHydrated && (
        <Link to="" reloadDocument className="inline-flex min-h-6 text-accent underline">
          Refresh
        </Link>
      )}
    </div>
  );
}
