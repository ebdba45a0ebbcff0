import { Alert } from "../../ui/alert";
import { Count } from "../../ui/local";

/** Explains that codes cannot be decrypted here, and how to solve it. */
export function LockedCodes({
  lockedCodes,
}: {
  lockedCodes: readonly { keyId: string; codes: number }[];
}) {
  if (lockedCodes.length === 0) return null;
  return (
    <Alert>
      {lockedCodes.map(({ keyId, codes }) => (
        <p key={keyId}>
          <Count value={codes} /> {codes === 1 ? "code is" : "codes are"} encrypted with the key{" "}
          <span className="font-mono">{keyId}</span>, which this server does not have.
        </p>
      ))}
      <p>
        Holders cannot see these codes, and no codes can be added, until the key is back in
        GIFT_CARD_KEYS and the server is restarted.
      </p>
    </Alert>
  );
}
