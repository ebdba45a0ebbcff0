/** Says what the demo's wallet is. The condition is settled at build time: other builds lack it. */
export function DemoWalletNote() {
  if (import.meta.env.MODE !== "demo") return null;
  return (
    <p className="text-ink-muted">
      This demo has a built-in test wallet. Its key is public: send nothing to it on a real chain.
    </p>
  );
}
