import { Form, Link, useLocation } from "@remix-run/react";
import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { THEMES, type Theme } from "../../../domain/theme";
import { Divider, getItemClass, getOpener, Panel } from "../../ui/menu";
import { Monogram } from "./monogram";
import { getGeneralPath, listGeneralGroups } from "./sections";

const PANEL_ID = "account";

interface Operator {
  readonly name: string;
  readonly email: string;
  readonly isAdministrator: boolean;
}

/** Holds the pages of the account and of the administration, the theme, and the way out. */
export function AccountMenu({ operator, theme }: { operator: Operator; theme: Theme }) {
  return (
    <>
      <button
        {...getOpener(PANEL_ID)}
        type="button"
        title={operator.email}
        className="flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-lg px-2 text-left text-sm hover:bg-sunken"
      >
        <Monogram name={operator.name} isRound />
        <span className="sr-only md:hidden">Your account</span>
        <span className="hidden min-w-0 flex-1 md:block">
          <span className="sr-only">Your account: </span>
          <span className="block truncate font-medium">{operator.name}</span>
          <span className="block truncate text-xs text-ink-muted">{operator.email}</span>
        </span>
      </button>
      <Panel
        id={PANEL_ID}
        label="Your account"
        className="fixed m-0 bottom-auto left-auto right-3 top-16 w-64 max-w-[calc(100vw-1.5rem)] md:bottom-16 md:left-3 md:right-auto md:top-auto"
      >
        <p className="truncate px-2.5 pt-1 font-medium">{operator.name}</p>
        <p className="truncate px-2.5 pb-1 text-xs text-ink-muted">{operator.email}</p>
        {listGeneralGroups(operator.isAdministrator).map(({ heading, sections }) => (
          <div key={heading}>
            <Divider />
            {sections.map((section) => (
              <Link key={section.path} to={getGeneralPath(section)} className={getItemClass()}>
                {section.label}
              </Link>
            ))}
          </div>
        ))}
        <Divider />
        <ThemeForm theme={theme} />
        <Divider />
        <Form method="post" action="/sign-out">
          <button type="submit" className={getItemClass()}>
            <LogOut aria-hidden="true" className="size-4 text-ink-muted" />
            Sign out
          </button>
        </Form>
      </Panel>
    </>
  );
}

const THEME_FACES = {
  light: { label: "Light", icon: Sun },
  dark: { label: "Dark", icon: Moon },
  system: { label: "System", icon: Monitor },
} as const;

/** Chooses the colours of the dashboard in this browser. */
function ThemeForm({ theme }: { theme: Theme }) {
  const { pathname, search } = useLocation();
  return (
    <Form
      method="post"
      action="/dashboard/theme"
      replace
      preventScrollReset
      className="flex gap-1 rounded-lg bg-sunken p-1"
    >
      <input type="hidden" name="to" value={pathname + search} />
      {THEMES.map((each) => {
        const { label, icon: Icon } = THEME_FACES[each];
        return (
          <button
            key={each}
            type="submit"
            name="theme"
            value={each}
            aria-pressed={each === theme}
            className={`inline-flex min-h-8 flex-1 items-center justify-center gap-1.5 rounded-md text-xs ${
              each === theme ? "bg-raised font-medium shadow-sm" : "text-ink-muted hover:text-ink"
            }`}
          >
            <Icon aria-hidden="true" className="size-3.5" />
            {label}
          </button>
        );
      })}
    </Form>
  );
}
