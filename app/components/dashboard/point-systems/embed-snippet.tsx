import { CopyButton } from "../../ui/copy-button";

/** Shows the HTML that embeds a public leaderboard in another site. */
export function EmbedSnippet({ url, name }: { url: string; name: string }) {
  const snippet = `<iframe src="${url}/embed?limit=10&amp;theme=auto" title="${escapeHtml(name)} leaderboard" width="100%" height="560" loading="lazy" style="border: 0"></iframe>`;
  return (
    <div className="text-sm">
      <p className="text-ink-muted">
        Add it to your own site. <code className="font-mono">limit</code> is up to 50,{" "}
        <code className="font-mono">theme</code> is light, dark or auto.
      </p>
      <div className="relative mt-3 rounded-lg border border-line bg-surface">
        <div className="absolute right-2 top-2">
          <CopyButton text={snippet} label="the HTML" />
        </div>
        <pre className="whitespace-pre-wrap p-3 pr-12 text-[0.8125rem] leading-relaxed [overflow-wrap:anywhere]">
          <code>{snippet}</code>
        </pre>
      </div>
    </div>
  );
}

/** Escapes a name, which can contain markup, for the other site. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
