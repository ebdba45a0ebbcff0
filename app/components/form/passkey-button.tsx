import { useState } from "react";
import { useIsHydrated } from "../hooks/use-is-hydrated";
import { Alert } from "../ui/alert";
import { Button } from "../ui/button";
import { givePasskey } from "./passkey";

/** Offers a passkey in the place of a password, where scripts run. */
export function PasskeyButton({
  path,
  label,
  onGiven,
}: {
  /** The path that asks for the passkey and takes it. */
  path: string;
  label: string;
  onGiven: (button: HTMLButtonElement) => void;
}) {
  const isHydrated = useIsHydrated();
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  if (!isHydrated || !window.PublicKeyCredential) return null;
  return (
    <div className="space-y-3">
      {problem && <Alert>{problem}</Alert>}
      <Button
        type="button"
        variant="quiet"
        isBusy={isBusy}
        onClick={async ({ currentTarget }) => {
          setProblem(null);
          setIsBusy(true);
          try {
            await givePasskey(path);
            onGiven(currentTarget);
          } catch (error) {
            setProblem((error as Error).message);
          }
          setIsBusy(false);
        }}
      >
        {label}
      </Button>
    </div>
  );
}
