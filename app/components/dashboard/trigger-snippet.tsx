import { CopyButton } from "../ui/copy-button";

const SAMPLE_WALLET = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";

/** A call that fires a trigger of this point system, ready but for the API key. */
export function TriggerSnippet({
  origin,
  pointSystemId,
  triggerKey,
}: {
  origin: string;
  pointSystemId: string;
  triggerKey: string;
}) {
  const body = JSON.stringify({ triggerKey, walletAddress: SAMPLE_WALLET, pointSystemId }, null, 2);
  const snippet = `curl -X POST ${origin}/trigger \\
  -H "Authorization: Bearer $POINTS_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '${body.replaceAll("\n", "\n  ")}'`;
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
