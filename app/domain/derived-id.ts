import { v5 } from "uuid";

/**
 * Derives an id from content (version 5, RFC 9562): the same content gives the same id each time.
 * @param namespace a UUID that tells equal contents of different places apart
 */
export function deriveId(
  namespace: string,
  ...content: readonly (string | number | null)[]
): string {
  // The namespace is passed as bytes: as text, the library refuses a UUID of an unknown version,
  // which a fixture file may hold.
  return v5(JSON.stringify(content), Buffer.from(namespace.replaceAll("-", ""), "hex"));
}
