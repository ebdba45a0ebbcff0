import { NavLink } from "@remix-run/react";
import { MethodMark } from "./method-mark";

export interface RailProps {
  readonly guides: readonly { readonly slug: string; readonly title: string }[];
  readonly groups: readonly {
    readonly group: string;
    readonly endpoints: readonly {
      readonly slug: string;
      readonly method: "GET" | "POST";
      readonly title: string;
    }[];
  }[];
}

/** Lists all pages of the reference: at the side, or folded on top of a narrow screen. */
export function Rail(props: RailProps) {
  return (
    <>
      <details className="border-b border-line bg-raised lg:hidden">
        <summary className="cursor-pointer px-4 py-3 text-sm font-medium">Contents</summary>
        <nav aria-label="Reference, folded" className="px-2 pb-4">
          <RailLinks {...props} />
        </nav>
      </details>
      <nav
        aria-label="Reference"
        className="hidden min-h-0 flex-1 overflow-y-auto px-3 pb-8 lg:block"
      >
        <RailLinks {...props} />
      </nav>
    </>
  );
}

function RailLinks({ guides, groups }: RailProps) {
  return (
    <>
      <RailSection heading="Guides">
        <RailLink to="/docs">Overview</RailLink>
        {guides.map(({ slug, title }) => (
          <RailLink key={slug} to={`/docs/${slug}`}>
            {title}
          </RailLink>
        ))}
      </RailSection>
      {groups.map(({ group, endpoints }) => (
        <RailSection key={group} heading={group}>
          {endpoints.map(({ slug, method, title }) => (
            <RailLink key={slug} to={`/docs/endpoints/${slug}`}>
              <span className="min-w-0 flex-1">{title}</span>
              <MethodMark method={method} />
            </RailLink>
          ))}
        </RailSection>
      ))}
      <RailSection heading="Errors">
        <RailLink to="/docs/errors">All errors</RailLink>
      </RailSection>
    </>
  );
}

function RailSection({ heading, children }: { heading: string; children: React.ReactNode }) {
  return (
    <>
      <p className="px-3 pb-1 pt-4 text-xs font-semibold uppercase tracking-wide text-ink-muted">
        {heading}
      </p>
      <ul>{children}</ul>
    </>
  );
}

function RailLink({ to, children }: { to: string; children: React.ReactNode }) {
  return (
    <li>
      <NavLink
        to={to}
        end={to === "/docs"}
        className={({ isActive }) =>
          `flex min-h-8 items-center gap-2 rounded-lg px-3 text-sm ${
            isActive ? "bg-accent/10 font-medium text-accent" : "text-ink hover:bg-sunken"
          }`
        }
      >
        {children}
      </NavLink>
    </li>
  );
}
