import type { LeafCursor } from "../../../services/campaigns/chain/payments";

const CURSOR = /^(\d{1,9})\.(\d{1,9})$/;

/** Reads the place `?after=BUCKET.LEAF` from an address; null when there is none. */
export function readCursor(request: Request): LeafCursor | null {
  const after = new URL(request.url).searchParams.get("after") ?? "";
  const [, bucket, leafIndex] = CURSOR.exec(after) ?? [];
  if (bucket === undefined || leafIndex === undefined) return null;
  return { bucket: Number(bucket), leafIndex: Number(leafIndex) };
}
