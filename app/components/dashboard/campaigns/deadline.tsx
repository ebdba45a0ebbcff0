import { formatLocalTime } from "../../../domain/local-time";
import { Ago } from "../../ui/local";

/**
 * A campaign's deadline as it was set: the time on a wall with its time zone, the same for whoever
 * reads it, and how far it is away.
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
