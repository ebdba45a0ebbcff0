import { encode } from "uqr";
import { CopyButton } from "../ui/copy-button";
import { Dialog } from "../ui/dialog";

/** Shows the code that a wallet on another device scans to connect. */
export function WalletConnectCode({ uri, onClose }: { uri: string; onClose: () => void }) {
  const { data, size } = encode(uri, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <Dialog
      trigger={<span />}
      title="Scan with your wallet"
      description="Open a wallet that supports WalletConnect and scan this code."
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <svg
        role="img"
        aria-label="WalletConnect code"
        viewBox={`0 0 ${size} ${size}`}
        shapeRendering="crispEdges"
        className="mx-auto block w-full max-w-80 rounded-lg"
      >
        <rect width={size} height={size} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <p className="mt-3 flex items-center justify-center gap-1 text-ink-muted">
        Or copy the link <CopyButton text={uri} label="the WalletConnect link" />
      </p>
    </Dialog>
  );
}
