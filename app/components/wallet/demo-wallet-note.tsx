/**
 * Explains the demo's wallet. The condition is decided at build time: other builds do not contain
 * it.
 */
export function DemoWalletNote() {
  if (import.meta.env.MODE !== "demo") return null;
  return (
    <p className="text-ink-muted">
      This demo has a built-in test wallet. Its key is public: send nothing to it on a real chain.
    </p>
  );
}
