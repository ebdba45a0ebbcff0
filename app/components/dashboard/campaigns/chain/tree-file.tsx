import { Card } from "../../../ui/card";

/** Shows the public file of a campaign's trees, from which anyone can make every proof. */
export function TreeFileCard({
  file,
}: {
  file: { readonly path: string; readonly sha256: string };
}) {
  return (
    <Card heading="Public file of all proofs">
      <div className="space-y-2 p-4 text-sm sm:p-5">
        <p className="text-ink-muted">
          Holders can claim with this file and an endpoint of the chain alone, also when this
          service is gone. It names addresses, points at the split and amounts. Keep a copy
          elsewhere.
        </p>
        <p>
          <a
            href={file.path}
            download
            className="inline-flex min-h-6 items-center text-accent underline"
          >
            Download tree.json
          </a>
        </p>
        <p>
          SHA-256 <code className="break-all font-mono text-xs">{file.sha256}</code>
        </p>
      </div>
    </Card>
  );
}
