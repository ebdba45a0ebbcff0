import { formatLocalTime, parseLocalTime } from "../../../../domain/local-time";
import { Field } from "../../../form/field";
import { ConfirmSend } from "./confirm-send";

/** Offers to move a campaign's deadline later. The contract moves none earlier. */
export function ExtendDeadline({
  deadline,
  timeZone,
  isBusy,
  onConfirm,
}: {
  deadline: Date;
  timeZone: string;
  isBusy: boolean;
  /** Sends the last second at which a claim is valid, in seconds since 1970. */
  onConfirm: (laterSeconds: number) => void;
}) {
  return (
    <ConfirmSend
      label="Extend the deadline"
      title="Give wallets more time?"
      text="Wallets can claim until the new deadline. It cannot be moved back."
      confirmLabel="Extend"
      variant="quiet"
      isBusy={isBusy}
      onConfirm={(fields) => {
        const later = parseLocalTime(String(fields.get("deadline")), timeZone);
        if (later === "skipped") {
          return { deadline: "Clocks skip this time when they go forward. Choose another time." };
        }
        if (later === null) return { deadline: "Enter a date and a time." };
        const laterSeconds = Math.floor(later.getTime() / 1_000);
        if (laterSeconds <= Math.floor(deadline.getTime() / 1_000)) {
          return { deadline: "Enter a time after the present deadline." };
        }
        onConfirm(laterSeconds);
        return undefined;
      }}
    >
      {(problems) => (
        <Field
          label={`New deadline (${timeZone})`}
          name="deadline"
          type="datetime-local"
          defaultValue={formatLocalTime(deadline, timeZone)}
          problem={problems.deadline}
        />
      )}
    </ConfirmSend>
  );
}
