import { useFetcher } from "@remix-run/react";
import type { FormProblems } from "../../form/problems";

/** Turns a trigger on or off in the list: at once with JavaScript, as a form without. */
export function TriggerToggle({
  triggerKey,
  name,
  isActive,
}: {
  triggerKey: string;
  name: string;
  isActive: boolean;
}) {
  const fetcher = useFetcher<{ problems: FormProblems }>();
  const wanted = fetcher.formData?.get("isActive");
  const isShownActive = wanted === undefined || wanted === null ? isActive : wanted === "active";
  const problem = fetcher.data?.problems.form;
  return (
    <fetcher.Form method="post" preventScrollReset>
      <input type="hidden" name="intent" value="state" />
      <input type="hidden" name="key" value={triggerKey} />
      <input type="hidden" name="isActive" value={isShownActive ? "inactive" : "active"} />
      <button
        type="submit"
        role="switch"
        aria-checked={isShownActive}
        aria-label={`${name} is active`}
        className="inline-flex min-h-8 items-center gap-2 whitespace-nowrap rounded-lg"
      >
        <span
          aria-hidden="true"
          className={`inline-flex h-5 w-9 shrink-0 rounded-full border p-0.5 motion-safe:transition-colors ${
            isShownActive ? "border-fill bg-fill" : "border-field bg-sunken"
          }`}
        >
          <span
            className={`size-3.5 rounded-full motion-safe:transition-transform ${
              isShownActive ? "translate-x-4 bg-on-fill" : "bg-ink-muted"
            }`}
          />
        </span>
        <span aria-hidden="true" className="hidden sm:inline">
          {isShownActive ? "Active" : "Inactive"}
        </span>
      </button>
      {problem && (
        <p role="alert" className="text-xs text-danger">
          {problem}
        </p>
      )}
    </fetcher.Form>
  );
}
