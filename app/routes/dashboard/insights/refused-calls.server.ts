import type { RefusalGroup } from "../../../components/dashboard/insights/refused-calls";
import { Failure } from "../../../domain/failure";
import { describeFailure, isFailureCode } from "../../../http/failures";

/** Groups refused calls by the status and the text of their answers. */
export function groupRefusedCalls(
  refusedCalls: readonly { code: string; calls: number }[],
): RefusalGroup[] {
  const groups = new Map<
    number,
    { status: number; reasons: { message: string; calls: number }[] }
  >();
  for (const { code, calls } of refusedCalls) {
    // A code that another version counted.
    if (!isFailureCode(code)) continue;
    const { status, message } = describeFailure(new Failure(code));
    const group = groups.get(status) ?? { status, reasons: [] };
    groups.set(status, group);
    group.reasons.push({ message, calls });
  }
  return [...groups.values()].sort((a, b) => a.status - b.status);
}
