import { z } from "zod";

/**
 * The parts that are kept of a browser's report that a page's content security policy blocked a
 * resource.
 */
export interface PolicyViolation {
  readonly directive: string;
  /** The origin of the blocked resource, or a word like `inline`. */
  readonly blocked: string;
  /** The page's path. */
  readonly page: string;
}

/** The most reports that are read from one body; further ones are left out. */
const REPORTS_MAX = 10;
const PAGE_LENGTH_MAX = 200;

const Text = z.string().max(8_192);

/** The old report format, of `report-uri`. */
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

/** The Reporting API's format, whose lists hold reports of other kinds too. */
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
 * Reads a report that a browser posts to `report-uri`. Any client can post anything, so only words
 * and parts of addresses are kept. Queries are not kept, since they can hold tokens.
 * @returns null when the body is not a report
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
