import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import type { Block, Inline } from "../../domain/reference/markdown";
import { Code } from "./code";

/** Shows the text of a guide. Keys are places: the text of a page never changes. */
export function Prose({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className="space-y-4 leading-relaxed">
      {blocks.map((block, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <BlockView key={i} block={block} place={i + 1} />
      ))}
    </div>
  );
}

/** Shows a block. Its place tells regions of the same name apart. */
function BlockView({ block, place }: { block: Block; place: number }): ReactNode {
  switch (block.kind) {
    case "heading":
      return <Heading {...block} />;
    case "paragraph":
      return (
        <p>
          <Runs runs={block.text} />
        </p>
      );
    case "code":
      return <Code label={`Code ${place} in ${block.language}`} text={block.text} />;
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List className={`${block.isOrdered ? "list-decimal" : "list-disc"} space-y-1.5 pl-6`}>
          {block.items.map((item, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <li key={i}>
              <Runs runs={item} />
            </li>
          ))}
        </List>
      );
    }
    case "table":
      return <Table {...block} place={place} />;
  }
}

function Heading({ level, id, text }: Extract<Block, { kind: "heading" }>) {
  if (level === 1) {
    return (
      <h1 className="text-3xl font-semibold tracking-tight">
        <Runs runs={text} />
      </h1>
    );
  }
  const Tag = level === 2 ? "h2" : "h3";
  return (
    <Tag id={id} className="scroll-mt-6 pt-4 text-xl font-semibold tracking-tight">
      <Runs runs={text} />
    </Tag>
  );
}

function Table({ head, rows, place }: Extract<Block, { kind: "table" }> & { place: number }) {
  const name = head.flatMap((cell) => cell.map((run) => run.text)).join(", ");
  return (
    <section
      aria-label={`Table ${place}: ${name}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-raised"
    >
      <table className="w-full min-w-[32rem] text-left text-sm">
        <thead className="border-b border-line text-ink-muted">
          <tr>
            {head.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above
              <th key={i} scope="col" className="px-4 py-2 font-medium">
                <Runs runs={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above
            <tr key={i}>
              {row.map((cell, j) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={j} className="px-4 py-2 align-top">
                  <Runs runs={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Runs({ runs }: { runs: readonly Inline[] }) {
  return runs.map((run, i) => {
    const key = `${i} ${run.text}`;
    if (run.kind === "link") {
      return (
        <Link key={key} to={run.href} className="text-accent underline underline-offset-2">
          {run.text}
        </Link>
      );
    }
    if (run.kind === "strong") return <strong key={key}>{run.text}</strong>;
    if (run.kind === "code") return <InlineCode key={key}>{run.text}</InlineCode>;
    return run.text;
  });
}

/** Shows a name of the API within a sentence. */
export function InlineCode({ children }: { children: ReactNode }) {
  return (
    <code className="break-words rounded bg-sunken px-1 py-0.5 font-mono text-[0.875em]">
      {children}
    </code>
  );
}
