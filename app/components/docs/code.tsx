import type { ReactNode } from "react";
import { CopyButton } from "../ui/copy-button";

const TOKENS = [
  { name: "comment", source: "(?<![\\w:/$])(?:#|//).*", className: "text-ink-muted" },
  {
    name: "string",
    source: `"(?:\\\\.|[^"\\\\\\n])*"|'[^']*'|\`[^\`]*\``,
    className: "text-success",
  },
  {
    name: "keyword",
    source:
      "\\b(?:const|let|new|await|async|function|return|if|for|throw|try|catch|import|from|as|with|true|false|null|True|False|None|curl|export)\\b",
    className: "text-accent",
  },
] as const;

const PATTERN = new RegExp(
  TOKENS.map(({ name, source }) => `(?<${name}>${source})`).join("|"),
  "gm",
);

/** Colours comments, texts and keywords, alike in all languages of the samples. */
function highlight(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(PATTERN)) {
    const token = TOKENS.find(({ name }) => match.groups?.[name] !== undefined);
    parts.push(
      text.slice(at, match.index),
      <span key={match.index} className={token?.className}>
        {match[0]}
      </span>,
    );
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
}

/** Shows a program or an answer, with a button that copies it. A wide one scrolls by itself. */
export function Code({ label, text }: { label: string; text: string }) {
  return (
    <div className="relative min-w-0">
      <div className="absolute right-1.5 top-1.5 rounded-md bg-sunken">
        <CopyButton text={text} label={label} />
      </div>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it
        tabIndex={0}
        className="overflow-x-auto rounded-lg bg-sunken px-4 py-3"
      >
        <pre className="w-max pr-8 font-mono text-[0.8125rem] leading-relaxed">
          <code>{highlight(text)}</code>
        </pre>
      </section>
    </div>
  );
}
