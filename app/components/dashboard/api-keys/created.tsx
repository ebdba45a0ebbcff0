import type { ReactNode } from "react";
import { ShownOnce } from "../../ui/shown-once";

/**
 * Shows a new key, only once.
 * @param props.children a call with the key
 */
export function CreatedApiKey({
  name,
  token,
  children,
}: {
  name: string;
  token: string;
  children?: ReactNode;
}) {
  return (
    <ShownOnce
      label={`The key of ${name}`}
      value={token}
      warning="Copy it now and store it where only your application can read it. It is not shown again, and it works for anyone who has it."
      goneText="The key was already shown and cannot be shown again."
      doneHref="/dashboard/api-keys"
    >
      {children}
    </ShownOnce>
  );
}
