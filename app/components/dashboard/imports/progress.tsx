import type { ImportStatus } from "../../../domain/imports/import";
import { Alert } from "../../ui/alert";
import { Card } from "../../ui/card";
import { Fact } from "../../ui/fact";
import { Ago, Count } from "../../ui/local";
import { Progress } from "../../ui/progress";
import { ImportBadge } from "./status";

export interface ImportProgressProps {
  status: Exclude<ImportStatus, "draft">;
  wallets: number;
  walletsDone: number;
  walletsSkipped: number;
  points: number;
  note: string | null;
  operator: string | null;
  committedAt: Date | null;
  undoneAt: Date | null;
  failure: string | null;
}

const TEXTS = {
  committing: "Points are being credited. You can leave this page.",
  committed: "All points are credited.",
  undoing: "Points are being removed. You can leave this page.",
  undone: "All points of this import are removed.",
} as const;

/**
 * Shows the progress of an import and its result.
 * @param props.now when it was read, in milliseconds since 1970
 */
export function ImportProgress({ progress, now }: { progress: ImportProgressProps; now: number }) {
  const { status, wallets, walletsDone, walletsSkipped, points, failure } = progress;
  const isRunning = status === "committing" || status === "undoing";
  return (
    <Card heading="Progress" aside={<ImportBadge status={status} hasFailed={failure !== null} />}>
      <div className="space-y-4 p-4 text-sm sm:p-5">
        {failure === null ? <p role="status">{TEXTS[status]}</p> : <Alert>{failure}</Alert>}
        {isRunning && (
          <Progress label="Wallets credited" max={wallets} value={walletsDone}>
            <Count value={walletsDone} /> of <Count value={wallets} /> wallets are credited.
          </Progress>
        )}
        <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-2 lg:grid-cols-3">
          <Fact label="Wallets">
            <Count value={wallets} />
          </Fact>
          <Fact label="Points">
            <Count value={points} />
          </Fact>
          {walletsSkipped > 0 && (
            <Fact label="Skipped">
              <Count value={walletsSkipped} />, blacklisted or full since the dry run
            </Fact>
          )}
          {progress.committedAt && (
            <Fact label="Committed">
              <Ago date={progress.committedAt} now={now} />
            </Fact>
          )}
          {progress.undoneAt && (
            <Fact label="Undone">
              <Ago date={progress.undoneAt} now={now} />
            </Fact>
          )}
          {progress.operator && <Fact label="By">{progress.operator}</Fact>}
          {progress.note && <Fact label="Note">{progress.note}</Fact>}
        </dl>
      </div>
    </Card>
  );
}
