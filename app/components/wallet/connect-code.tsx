import { getButtonClass } from "../ui/button";
import { CopyButton } from "../ui/copy-button";
import { Dialog } from "../ui/dialog";
import { QrCode } from "../ui/qr-code";
import { WALLET_APPS } from "./wallet-apps";

/** Shows the code that a wallet on another device scans to connect. */
export function WalletConnectCode({ uri, onClose }: { uri: string; onClose: () => void }) {
  return (
    <Dialog
      trigger={<span />}
      title="Scan with your wallet"
      description="Open a wallet that supports WalletConnect and scan this code, or open it on this device."
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
    >
      <QrCode text={uri} label="WalletConnect code" />
      <div className="mt-4 space-y-2">
        <p>
          <a href={uri} className={getButtonClass("primary", "small")}>
            Open a wallet on this device
          </a>
        </p>
        <ul aria-label="Wallets on this device" className="flex flex-wrap gap-2">
          {WALLET_APPS.map(
            ({ name, toPairingLink }) =>
              toPairingLink && (
                <li key={name}>
                  <a
                    href={toPairingLink(uri)}
                    rel="noreferrer"
                    className={getButtonClass("quiet", "small")}
                  >
                    {name}
                  </a>
                </li>
              ),
          )}
        </ul>
      </div>
      <p className="mt-3 flex items-center justify-center gap-1 text-ink-muted">
        Or copy the link <CopyButton text={uri} label="the WalletConnect link" />
      </p>
    </Dialog>
  );
}
