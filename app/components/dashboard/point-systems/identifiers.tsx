import { Identifier } from "./identifier";

/**
 * Shows a point system's identifiers: the id for calls, four characters for people, and the public
 * path.
 */
export function PointSystemIdentifiers({
  pointSystem: { id, shortId, slug },
}: {
  pointSystem: { id: string; shortId: string; slug: string | null };
}) {
  return (
    <dl className="space-y-0.5">
      <Identifier label="ID" value={id} />
      <Identifier label="Short ID" value={shortId} />
      {slug && <Identifier label="Slug" value={slug} />}
    </dl>
  );
}
