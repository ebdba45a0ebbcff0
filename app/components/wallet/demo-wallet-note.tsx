/**
 * Explains the demo's wallet. The condition is decided at build time: other builds do not contain
 * it.
 */
export function DemoWalletNote() {
  if (import.meta.env.MODE !== "demo") return null;
  return (
    <p className="text-ink-muted">
      This is a demo, with a wallet in the page for trying it out. Everybody knows its key: send it
      nothing on a real chain.
    </p>
  );
}
