import { Link } from "@remix-run/react";

/**
 * Shows the window that a page is about, and links those before it.
 * @param props.shown null for a season, which has one window
 * @param props.present the label of the present window
 * @param props.from the start of the present window, as a local time
 */
export function BoardWindows({
  labels,
  shown,
  present,
  from,
  until,
}: {
  labels: readonly string[];
  shown: string | null;
  present: string;
  from: string;
  until: string;
}) {
  const span = `${from.replace("T", " ")} to ${until.replace("T", " ")}`;
  if (shown === null) return <p className="text-sm text-ink-muted">{span}</p>;
  const listed = labels.includes(present) ? labels : [present, ...labels];
  return (
    <nav aria-label="Windows" className="text-sm">
      <p className="text-ink-muted">
        {shown === present ? `${present}, ${span}` : `${shown}, which has ended`}
      </p>
      <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1">
        {listed.map((label) => (
          <li key={label}>
            <Link
              to={label === present ? "?" : `?window=${label}`}
              aria-current={label === shown ? "page" : undefined}
              className={`inline-flex min-h-6 items-center ${label === shown ? "font-medium" : "text-accent underline"}`}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
