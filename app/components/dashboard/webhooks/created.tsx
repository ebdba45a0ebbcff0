import { ShownOnce } from "../../ui/shown-once";

/** Shows an endpoint's new secret, only once. */
export function WebhookSecret({ secret, doneHref }: { secret: string; doneHref: string }) {
  return (
    <ShownOnce
      label="The signing secret"
      value={secret}
      warning="Copy it now and store it where only your receiver can read it. It is not shown again. With it, the receiver checks that a delivery comes from here."
      goneText="The secret was already shown and cannot be shown again."
      doneHref={doneHref}
    />
  );
}
