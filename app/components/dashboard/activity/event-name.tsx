import type { TriggerNames } from "../../../domain/point-systems/trigger-key";

/**
 * Names the trigger that credited an event, with its key beside it. A deleted trigger has its key alone.
 * @param props.names the names of the point system's triggers, by key
 */
export function EventName({ event, names }: { event: string; names: TriggerNames }) {
  const name = names.get(event);
  const key = <span className="break-all font-mono text-[0.8125rem]">{event}</span>;
  if (name === undefined) return key;
  return (
    <>
      {name} <span className="text-ink-muted">{key}</span>
    </>
  );
}
