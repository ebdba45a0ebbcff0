import { CopyButton } from "./copy-button";

/** A wallet's address, shortened, whole on hover, with a button that copies it. */
export function Address({ address }: { address: string }) {
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      <span title={address} className="font-mono text-[0.8125rem]">
        {address.slice(0, 6)}…{address.slice(-4)}
      </span>
      <CopyButton text={address} label={`address ${address.slice(0, 6)}…${address.slice(-4)}`} />
    </span>
  );
}
