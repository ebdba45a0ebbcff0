import { z } from "zod";

/** What is kept of a browser's report that a page's content security policy refused something. */
export interface PolicyViolation {
  readonly directive: string;
  /** The origin of what was refused, or a word like `inline`. */
  readonly blocked: string;
  /** The page's path. */
  readonly page: string;
}

/** More reports in one body are left out. */
const REPORTS_MAX = 10;
const PAGE_LENGTH_MAX = 200;

const Text = z.string().max(8_192);

/** The old form, by `report-uri`. */
const SingleReport = z
  .object({
    "csp-report": z.object({
      "document-uri": Text,
      "blocked-uri": Text.optional(),
      "effective-directive": Text.optional(),
      "violated-directive": Text.optional(),
    }),
  })
  .transform(({ "csp-report": report }) => [
    summarize(
      report["effective-directive"] ?? report["violated-directive"],
      report["blocked-uri"],
      report["document-uri"],
    ),
  ]);

/** The Reporting API's form, which has reports of other kinds too. */
const ReportList = z.array(z.unknown()).transform((reports) =>
  reports.slice(0, REPORTS_MAX).flatMap((report) => {
    const { success, data } = ListedReport.safeParse(report);
    if (!success) return [];
    const { effectiveDirective, blockedURL, documentURL } = data.body;
    return [summarize(effectiveDirective, blockedURL, documentURL)];
  }),
);

const ListedReport = z.object({
  type: z.literal("csp-violation"),
  body: z.object({
    documentURL: Text,
    blockedURL: Text.optional(),
    effectiveDirective: Text.optional(),
  }),
});

const Reports = z.union([SingleReport, ReportList]);

/**
 * Reads what a browser posts to `report-uri`. Whoever can reach the service can post anything, so
 * that only words and parts of addresses are kept; queries, which can hold tokens, are not.
 * @returns null when it is no report
 */
export function parseViolations(body: unknown): readonly PolicyViolation[] | null {
  return Reports.safeParse(body).data ?? null;
}

function summarize(directive = "", blocked = "", page = ""): PolicyViolation {
  return {
    directive: /^[a-z-]{1,40}/.exec(directive)?.[0] ?? "unknown",
    blocked: summarizeBlocked(blocked),
    page: URL.canParse(page) ? new URL(page).pathname.slice(0, PAGE_LENGTH_MAX) : "unknown",
  };
}

function summarizeBlocked(blocked: string): string {
  if (/^[a-z-]{1,40}$/.test(blocked)) return blocked;
  if (!URL.canParse(blocked)) return "unknown";
  const { origin, protocol } = new URL(blocked);
  return (origin === "null" ? protocol : origin).slice(0, PAGE_LENGTH_MAX);
}
