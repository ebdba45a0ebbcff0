import { CopyButton } from "../../ui/copy-button";

/** Shows a value to copy, with its name before it. */
export function Identifier({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex min-w-0 items-center gap-2 text-sm">
      <dt className="w-16 shrink-0 text-ink-muted">{label}</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <span title={value} className="truncate font-mono text-[0.8125rem]">
          {value}
        </span>
        <CopyButton text={value} label={label} />
      </dd>
    </div>
  );
}
