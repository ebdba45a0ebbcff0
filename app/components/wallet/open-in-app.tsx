import { useConnectors } from "wagmi";
import { getButtonClass } from "../ui/button";
import { WALLET_APPS } from "./wallet-apps";

/**
 * Offers a phone without a wallet in its browser to open this page in a wallet's app. It is rendered
 * in the browser only.
 */
export function OpenInApp() {
  const isAnnounced = useConnectors().some(
    ({ type, id }) => type === "injected" && id !== "injected",
  );
  const hasWallet = isAnnounced || "ethereum" in window;
  if (hasWallet || !window.matchMedia("(pointer: coarse)").matches) return null;
  return (
    <div className="space-y-2">
      <p className="text-ink-muted">Or open this page in your wallet's app:</p>
      <ul className="flex flex-wrap gap-2">
        {WALLET_APPS.map(
          ({ name, toPageLink }) =>
            toPageLink && (
              <li key={name}>
                <a
                  href={toPageLink(window.location.href)}
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
  );
}
