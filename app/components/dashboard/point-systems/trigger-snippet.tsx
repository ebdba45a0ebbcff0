import { CopyButton } from "../../ui/copy-button";

const SAMPLE_WALLET = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";

export const SNIPPET_LANGUAGES = ["curl", "typescript"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

interface Call {
  origin: string;
  pointSystemId: string;
  triggerKey: string;
  /** The points that the call names; null for a trigger of fixed points. */
  points: number | null;
  /** The API key, where it is shown at all; otherwise a variable stands in its place. */
  token?: string;
}

const WRITERS: Record<SnippetLanguage, (call: Call) => string> = {
  curl: writeCurl,
  typescript: writeTypeScript,
};

/** Shows a call that fires a trigger of this point system. */
export function TriggerSnippet({
  language = "curl",
  ...call
}: Call & { language?: SnippetLanguage }) {
  const snippet = WRITERS[language](call);
  return (
    <div className="relative">
      <div className="absolute right-3 top-3">
        <CopyButton text={snippet} label="the call" />
      </div>
      <pre className="whitespace-pre-wrap p-4 pr-12 text-[0.8125rem] leading-relaxed [overflow-wrap:anywhere] sm:p-5 sm:pr-12">
        <code>{snippet}</code>
      </pre>
    </div>
  );
}

function writeBody({ triggerKey, pointSystemId, points }: Call): string {
  const body = { triggerKey, walletAddress: SAMPLE_WALLET, pointSystemId };
  return JSON.stringify(points === null ? body : { ...body, points }, null, 2);
}

function writeCurl(call: Call): string {
  return `curl -X POST ${call.origin}/trigger \\
  -H "Authorization: Bearer ${call.token ?? "$POINTS_API_KEY"}" \\
  -H "Content-Type: application/json" \\
  -d '${writeBody(call).replaceAll("\n", "\n  ")}'`;
}

function writeTypeScript(call: Call): string {
  return `// Send the same one again when you repeat a call: it is credited once.
const idempotencyKey = crypto.randomUUID();

const response = await fetch("${call.origin}/trigger", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.POINTS_API_KEY}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": idempotencyKey,
  },
  body: JSON.stringify(${writeBody(call).replaceAll("\n", "\n  ")}),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.message);`;
}
