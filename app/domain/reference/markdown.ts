/** A block of a guide: the part of Markdown that the guides use. */
export type Block =
  | {
      readonly kind: "heading";
      readonly level: number;
      readonly id: string;
      readonly text: Inline[];
    }
  | { readonly kind: "paragraph"; readonly text: Inline[] }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "list"; readonly isOrdered: boolean; readonly items: Inline[][] }
  | { readonly kind: "table"; readonly head: Inline[][]; readonly rows: Inline[][][] };

/** A run of text within a block. */
export type Inline =
  | { readonly kind: "text" | "code" | "strong"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly href: string };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)/g;

/** Reads the runs of a line of Markdown. */
function parseInline(text: string): Inline[] {
  const runs: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > at) runs.push({ kind: "text", text: text.slice(at, match.index) });
    const [whole, code, strong, label, href] = match;
    if (code !== undefined) runs.push({ kind: "code", text: code });
    else if (strong !== undefined) runs.push({ kind: "strong", text: strong });
    else runs.push({ kind: "link", text: label?.replaceAll("`", "") ?? "", href: href ?? "" });
    at = match.index + whole.length;
  }
  if (at < text.length) runs.push({ kind: "text", text: text.slice(at) });
  return runs;
}

/** Makes a heading's id as GitHub does. */
function toId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 _-]/g, "")
    .replaceAll(" ", "-");
}

const splitRow = (line: string) =>
  line
    .replace(/^\||\|$/g, "")
    .split("|")
    .map((cell) => parseInline(cell.trim()));

const isItem = (line: string) => /^(?:-|\d+\.) /.test(line);
const startsBlock = (line: string) => line === "" || /^(#{1,4} |```|\|)/.test(line) || isItem(line);

/** Reads a guide's Markdown: headings, paragraphs, lists, tables and blocks of code. */
export function parseMarkdown(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  /** Takes the lines that continue a block. */
  const take = (from: number, continues: (line: string) => boolean) => {
    let end = from;
    while (end < lines.length && continues(lines[end] ?? "")) end += 1;
    return lines.slice(from, end);
  };
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] ?? "";
    const heading = /^(#{1,4}) (.+)$/.exec(line);
    if (heading?.[1] && heading[2]) {
      const [, marks, text] = heading;
      blocks.push({
        kind: "heading",
        level: marks.length,
        id: toId(text),
        text: parseInline(text),
      });
      i += 1;
    } else if (line.startsWith("```")) {
      const inner = take(i + 1, (next) => !next.startsWith("```"));
      blocks.push({ kind: "code", language: line.slice(3).trim(), text: inner.join("\n") });
      i += inner.length + 2;
    } else if (line.startsWith("|")) {
      const [head = "", , ...rows] = take(i, (next) => next.startsWith("|"));
      blocks.push({ kind: "table", head: splitRow(head), rows: rows.map(splitRow) });
      i += rows.length + 2;
    } else if (isItem(line)) {
      const inner = take(i, (next) => isItem(next) || /^ +\S/.test(next));
      const items: string[] = [];
      for (const each of inner) {
        if (isItem(each)) items.push(each.replace(/^\S+ /, ""));
        else items.push(`${items.pop()} ${each.trim()}`);
      }
      blocks.push({ kind: "list", isOrdered: /^\d/.test(line), items: items.map(parseInline) });
      i += inner.length;
    } else if (line === "") {
      i += 1;
    } else {
      const inner = [line, ...take(i + 1, (next) => !startsBlock(next))];
      blocks.push({ kind: "paragraph", text: parseInline(inner.join(" ")) });
      i += inner.length;
    }
  }
  return blocks;
}
