import { drawWalletMark } from "../../domain/wallet-mark";

/** Shows the picture of an address. */
export function WalletMark({
  address,
  className = "size-5",
}: {
  address: string;
  className?: string;
}) {
  const { ground, ink, path } = drawWalletMark(address);
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 7 7"
      shapeRendering="crispEdges"
      className={`${className} shrink-0 rounded-full`}
    >
      <rect width="7" height="7" fill={ground} />
      <path fill={ink} d={path} />
    </svg>
  );
}
