import { Form, useRouteLoaderData } from "@remix-run/react";
import { Button } from "../ui/button";
import { Field } from "./field";

/**
 * Searches for one wallet, with the query's `search`. ENS names are offered only where they are
 * looked up.
 * @param props.purpose the result of the search, as a sentence
 */
export function SearchForm({
  purpose,
  takesBeginning = false,
  defaultValue,
  problem,
  kept = {},
}: {
  purpose?: string;
  /** Whether the beginning of an address finds the only wallet that has it. */
  takesBeginning?: boolean;
  defaultValue: string;
  problem?: string | undefined;
  /** The other parts of the page's query, which are kept. */
  kept?: Readonly<Record<string, string>>;
}) {
  const dashboard = useRouteLoaderData("routes/dashboard/layout");
  const { canResolveNames } = (dashboard ?? {}) as { canResolveNames?: boolean };
  const words = [
    takesBeginning ? "an address or its beginning" : "an address",
    ...(canResolveNames ? ["an ENS name"] : []),
  ].join(", or ");
  const what = words.charAt(0).toUpperCase() + words.slice(1);
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
          isUnmarked
          name="search"
          autoComplete="off"
          spellCheck={false}
          maxLength={300}
          placeholder="0x…"
          hint={purpose ? `${purpose} ${what}.` : what}
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
