import { Form } from "@remix-run/react";
import { Button } from "../ui/button";
import { Field } from "./field";

/** Searches for one wallet, with the query's `search`. */
export function SearchForm({
  hint,
  defaultValue,
  problem,
  kept = {},
}: {
  hint?: string;
  defaultValue: string;
  problem?: string | undefined;
  /** The other parts of the page's query, which are kept. */
  kept?: Readonly<Record<string, string>>;
}) {
  return (
    <Form role="search" className="flex max-w-2xl items-start gap-3">
      {Object.entries(kept).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <div className="min-w-0 flex-1">
        <Field
          // The key keeps the field equal to the search, also after a link led here.
          key={defaultValue}
          label="Find a wallet"
          isFilter
          name="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={300}
          placeholder="0x…"
          hint={hint}
          defaultValue={defaultValue}
          problem={problem}
        />
      </div>
      <Button type="submit" variant="quiet" className="mt-[1.625rem]">
        Find
      </Button>
    </Form>
  );
}
