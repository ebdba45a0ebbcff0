import claims from "../../../docs/claims.md?raw";
import compatibility from "../../../docs/compatibility.md?raw";
import crediting from "../../../docs/crediting.md?raw";
import mcp from "../../../docs/mcp.md?raw";
import quickstart from "../../../docs/quickstart.md?raw";
import retries from "../../../docs/retries.md?raw";
import sdk from "../../../docs/sdk.md?raw";
import spending from "../../../docs/spending.md?raw";
import { EXAMPLE, type ExampleValues } from "../../domain/reference/example";

/** A guide of the reference: a file of docs/. */
export interface Guide {
  readonly slug: string;
  readonly title: string;
  readonly markdown: string;
}

/** The files of docs/ that are pages. */
const SLUGS = new Set([
  "quickstart",
  "crediting",
  "spending",
  "retries",
  "claims",
  "sdk",
  "mcp",
  "compatibility",
]);

/** The guides in the order of the reference. */
export const GUIDES: readonly Guide[] = [
  { slug: "quickstart", title: "Quickstart", markdown: quickstart },
  { slug: "crediting", title: "Crediting", markdown: crediting },
  { slug: "spending", title: "Spending", markdown: spending },
  { slug: "retries", title: "Idempotency and retries", markdown: retries },
  { slug: "claims", title: "Claims and proofs", markdown: claims },
  { slug: "sdk", title: "TypeScript SDK", markdown: sdk },
  { slug: "mcp", title: "Tools for assistants", markdown: mcp },
  { slug: "compatibility", title: "Compatibility", markdown: compatibility },
].map((guide) => ({ ...guide, markdown: linkWithin(guide.markdown) }));

/** Points the links between files at the pages. Files that have no page are only named. */
function linkWithin(markdown: string): string {
  return markdown.replace(
    /\[([^[\]]+)\]\(([\w.-]+)\.(?:md|http)(#[\w-]+)?\)/g,
    (_, text: string, name: string, part = "") =>
      SLUGS.has(name) ? `[${text}](/docs/${name}${part})` : text,
  );
}

/** Writes a reader's own values into a text that has those of the examples. */
export function fillExamples(text: string, values: ExampleValues): string {
  return text
    .replaceAll(EXAMPLE.origin, values.origin)
    .replaceAll(EXAMPLE.pointSystemId, values.pointSystemId)
    .replaceAll(EXAMPLE.wallet, values.wallet)
    .replaceAll(EXAMPLE.triggerKey, values.triggerKey);
}
