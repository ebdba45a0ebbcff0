import { CopyButton } from "./copy-button";

/** Shows a value only once, for the reader to copy now. */
export function Secret({
  label,
  value,
  warning = "Copy it now. It is not shown again.",
}: {
  label: string;
  value: string;
  warning?: string;
}) {
  return (
    <div className="rounded-lg border border-accent/40 bg-accent/10 p-4 text-sm">
      <p className="font-medium">{label}</p>
      <div className="mt-2 flex items-center gap-1 rounded-lg border border-line bg-raised py-1 pl-3 pr-1">
        <code className="min-w-0 flex-1 select-all break-all font-mono text-[0.8125rem]">
          {value}
        </code>
        <CopyButton text={value} label={label} />
      </div>
      <p className="mt-2">{warning}</p>
    </div>
  );
}
