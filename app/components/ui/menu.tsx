import * as Radix from "@radix-ui/react-dropdown-menu";
import { Form, Link, useSubmit } from "@remix-run/react";
import type { ReactNode } from "react";
import { useIsHydrated } from "../use-is-hydrated";
import { Button, type ButtonSize, getButtonClass } from "./button";

/** A link, or a form of the page that is posted right away. */
export type MenuItem =
  | { label: string; to: string }
  | { label: string; intent: string; fields?: Readonly<Record<string, string>> };

const PANEL =
  "z-20 min-w-44 max-w-[calc(100vw-2rem)] rounded-xl border border-line bg-raised p-1 text-sm shadow-lg";
const ITEM =
  "flex min-h-8 w-full cursor-pointer items-center rounded-lg px-3 py-1.5 text-left outline-none hover:bg-sunken data-[highlighted]:bg-sunken";

/**
 * A button with more to do beneath it.
 * @param props.name what the button is called, where what it shows does not say it
 */
export function Menu({
  trigger,
  name,
  items,
  size = "normal",
}: {
  trigger: ReactNode;
  name?: string;
  items: readonly MenuItem[];
  size?: ButtonSize;
}) {
  const submit = useSubmit();
  if (!useIsHydrated())
    return <PlainMenu trigger={trigger} name={name} items={items} size={size} />;
  return (
    // Not modal: the page stays usable, and its scrolling needs no stylesheet to be put in.
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>
        <Button variant="quiet" size={size} aria-label={name}>
          {trigger}
        </Button>
      </Radix.Trigger>
      <Radix.Content align="end" sideOffset={4} collisionPadding={8} className={PANEL}>
        {items.map((item) =>
          "to" in item ? (
            <Radix.Item key={item.label} asChild>
              <Link to={item.to} className={ITEM}>
                {item.label}
              </Link>
            </Radix.Item>
          ) : (
            <Radix.Item
              key={item.label}
              className={ITEM}
              onSelect={() => submit({ ...item.fields, intent: item.intent }, { method: "post" })}
            >
              {item.label}
            </Radix.Item>
          ),
        )}
      </Radix.Content>
    </Radix.Root>
  );
}

function PlainMenu({
  trigger,
  name,
  items,
  size,
}: {
  trigger: ReactNode;
  name: string | undefined;
  items: readonly MenuItem[];
  size: ButtonSize;
}) {
  return (
    <details className="inline-block">
      <summary
        aria-label={name}
        className={`cursor-pointer list-none ${getButtonClass("quiet", size)}`}
      >
        {trigger}
      </summary>
      <div className={`mt-1 ${PANEL}`}>
        {items.map((item) =>
          "to" in item ? (
            <Link key={item.label} to={item.to} className={ITEM}>
              {item.label}
            </Link>
          ) : (
            <Form key={item.label} method="post">
              {Object.entries(item.fields ?? {}).map(([field, value]) => (
                <input key={field} type="hidden" name={field} value={value} />
              ))}
              <button type="submit" name="intent" value={item.intent} className={ITEM}>
                {item.label}
              </button>
            </Form>
          ),
        )}
      </div>
    </details>
  );
}
