import { Form, Link } from "@remix-run/react";
import { Field } from "../../form/field";
import type { FieldOption } from "../../form/option";
import { SelectField } from "../../form/select-field";
import { Button } from "../../ui/button";

type Values = Readonly<Record<"wallet" | "trigger" | "from" | "to", string>>;

/** Filters the events. The form leads to a page with an address of its own. */
export function ActivityFilters({
  values,
  problems,
  triggers,
  isFiltered,
}: {
  values: Values;
  problems: Partial<Values>;
  triggers: readonly FieldOption[];
  isFiltered: boolean;
}) {
  return (
    // The key resets the fields for each address, also when a link led to it.
    <Form role="search" key={JSON.stringify(values)} className="mt-6 space-y-3" noValidate>
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-[2fr_1.5fr_1fr_1fr]">
        <Field
          label="Wallet"
          name="wallet"
          isUnmarked
          autoComplete="off"
          spellCheck={false}
          placeholder="0x…"
          defaultValue={values.wallet}
          problem={problems.wallet}
        />
        <SelectField
          label="Trigger"
          name="trigger"
          isUnmarked
          options={triggers}
          defaultValue={values.trigger}
          problem={problems.trigger}
        />
        <Field
          label="From, UTC"
          name="from"
          type="date"
          isUnmarked
          defaultValue={values.from}
          problem={problems.from}
        />
        <Field
          label="To, UTC"
          name="to"
          type="date"
          isUnmarked
          defaultValue={values.to}
          problem={problems.to}
        />
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" variant="quiet">
          Filter
        </Button>
        {isFiltered && (
          <Link to="?" className="inline-flex min-h-6 items-center text-sm text-accent underline">
            Clear the filter
          </Link>
        )}
      </div>
    </Form>
  );
}
