/** Says what the demo's wallet is. The condition is settled at build time: other builds lack it. */
export function DemoWalletNote() {
  if (import.meta.env.MODE !== "demo") return null;
  return (
    <p className="text-ink-muted">
      This is a demo, with a wallet in the page for trying it out. Everybody knows its key: send it
      nothing on a real chain.
    </p>
  );
}
