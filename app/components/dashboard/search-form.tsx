import { Form } from "@remix-run/react";
import { Button } from "../ui/button";
import { Field } from "../ui/field";

/** A box that looks for one wallet; the query's `search`. */
export function SearchForm({
  hint,
  defaultValue,
  problem,
}: {
  hint?: string;
  defaultValue: string;
  problem?: string | undefined;
}) {
  return (
    <Form role="search" className="flex max-w-2xl items-start gap-3">
      <div className="min-w-0 flex-1">
        <Field
          // What is looked for, also after a link led here.
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
