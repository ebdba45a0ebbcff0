import { Badge } from "../../ui/badge";

/** Marks a point system, or a key, that is for tests alone. */
export function SandboxBadge({ isSandbox }: { isSandbox: boolean }) {
  return isSandbox ? <Badge tone="accent">Sandbox</Badge> : null;
}
