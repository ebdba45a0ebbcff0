import { Link } from "@remix-run/react";
import { ButtonLink } from "../../ui/button-link";
import { Card } from "../../ui/card";
import { Tabs } from "../../ui/tabs";
import { SNIPPET_LANGUAGES, type SnippetLanguage, TriggerSnippet } from "./trigger-snippet";

const LABELS: Record<SnippetLanguage, string> = { curl: "curl", typescript: "TypeScript" };

/** Shows how an application calls a trigger, in the language that the page's address names. */
export function TriggerCalls({
  language,
  isUnused,
  ...call
}: {
  origin: string;
  pointSystemId: string;
  triggerKey: string;
  /** The points that the call names; null for a trigger of fixed points. */
  points: number | null;
  /** The language in the page's address; any other value means the first. */
  language: string | null;
  /** Whether no call has come yet: the next step is a key. */
  isUnused: boolean;
}) {
  const keysHref = `/dashboard/api-keys?for=${call.pointSystemId}`;
  const shown = SNIPPET_LANGUAGES.find((known) => known === language) ?? "curl";
  return (
    <Card heading="Call it">
      <div className="px-4 pt-4 text-sm sm:px-5">
        <Tabs
          label="Languages"
          tabs={SNIPPET_LANGUAGES.map((known) => ({
            label: LABELS[known],
            to: `?call=${known}`,
            isCurrent: known === shown,
          }))}
        />
        <p className="mt-3 text-ink-muted">
          Put an{" "}
          <Link to={keysHref} className="text-accent underline">
            API key
          </Link>{" "}
          with the trigger permission for this point system into the variable POINTS_API_KEY.
        </p>
        {isUnused && (
          <ButtonLink to={keysHref} size="small" className="mt-3">
            Create an API key
          </ButtonLink>
        )}
      </div>
      <TriggerSnippet language={shown} {...call} />
    </Card>
  );
}
