import { formatLocalTime } from "../../../domain/local-time";
import { Ago } from "../../ui/local";

/**
 * Shows a campaign's deadline as it was set, and how far it is away. Its local time and time zone
 * are the same for every reader.
 * @param props.timeZone null when none was chosen
 * @param props.now when it was read, in milliseconds since 1970
 */
export function Deadline({
  date,
  timeZone,
  now,
}: {
  date: Date;
  timeZone: string | null;
  now: number;
}) {
  const zone = timeZone ?? "UTC";
  const write = (inZone: string) => formatLocalTime(date, inZone).replace("T", " ");
  return (
    <>
      {write(zone)} {zone}
      <p className="text-ink-muted">
        {zone !== "UTC" && <>{write("UTC")} UTC, </>}
        <Ago date={date} now={now} />
      </p>
    </>
  );
}
