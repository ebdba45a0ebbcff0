import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { getSectionPath } from "../shell/sections";
import { WaitingForEvent } from "./first-event";

/** Lists the steps of a new point system until its first points, each done or open. */
export function FirstSteps({
  pointSystemId,
  hasTrigger,
  hasApiKey,
  canEdit,
}: {
  pointSystemId: string;
  hasTrigger: boolean;
  hasApiKey: boolean;
  canEdit: boolean;
}) {
  const createTrigger = getSectionPath(pointSystemId, "triggers/new");
  return (
    <ol className="divide-y divide-line">
      <Step number={1} isDone={hasTrigger} heading="Create a trigger">
        A trigger is an action that earns points.
        {canEdit && !hasTrigger && <StepLink to={createTrigger}>Create a trigger</StepLink>}
      </Step>
      <Step number={2} isDone={hasApiKey} heading="Create an API key">
        Your backend sends it with every request. You choose the point systems that it can access.
        {canEdit && !hasApiKey && (
          <StepLink to={`/dashboard/api-keys?for=${pointSystemId}`}>Create an API key</StepLink>
        )}
      </Step>
      <Step number={3} isDone={false} heading="Fire the trigger">
        Call the API as shown on this page.
        {hasTrigger && hasApiKey && (
          <>
            <StepLink to="#fire">Show the call</StepLink>
            <p className="mt-2 flex items-center gap-2 text-ink">
              <WaitingForEvent />
            </p>
          </>
        )}
      </Step>
    </ol>
  );
}

function Step({
  number,
  isDone,
  heading,
  children,
}: {
  number: number;
  isDone: boolean;
  heading: string;
  children: ReactNode;
}) {
  const look = isDone ? "border-success/40 text-success" : "border-line text-ink-muted";
  return (
    <li className="flex gap-4 px-4 py-4 sm:px-5">
      <span
        aria-hidden="true"
        className={`flex size-7 shrink-0 items-center justify-center rounded-full border text-sm font-medium ${look}`}
      >
        {isDone ? "✓" : number}
      </span>
      <div className="min-w-0">
        <h3 className="pt-0.5 font-medium">
          {heading}
          {isDone && <span className="sr-only">: done</span>}
        </h3>
        <div className="mt-0.5 text-sm text-ink-muted">{children}</div>
      </div>
    </li>
  );
}

function StepLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <div>
      <Link
        to={to}
        className="mt-1 inline-flex min-h-6 items-center font-medium text-accent hover:underline"
      >
        {children}
      </Link>
    </div>
  );
}
