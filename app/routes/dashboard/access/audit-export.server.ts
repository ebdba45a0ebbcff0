import type { LoaderFunctionArgs } from "@remix-run/node";
import { streamCsv } from "../../../http/csv";
import { streamDownload } from "../../../http/download";
import {
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  readWholeAudit,
} from "../../../services/access/audit-log";
import { readAuditQuery } from "./audit-log.inputs.server";

const COLUMNS = ["id", "time", "action", "actor", "ip", "subject", "before", "after"];

/**
 * Answers the filtered audit log as a file: JSON lines where the address ends in `.jsonl`, CSV
 * otherwise.
 */
export function answerAuditFile(
  { request, context }: LoaderFunctionArgs,
  list: (filter: AuditFilter) => Promise<AuditPage>,
): Response {
  const entries = readWholeAudit(list, readAuditQuery(request));
  if (!new URL(request.url).pathname.endsWith(".jsonl")) {
    return streamCsv("audit-log.csv", COLUMNS, toRows(entries), context);
  }
  const type = "application/jsonl; charset=utf-8";
  return streamDownload("audit-log.jsonl", type, toLines(entries), context);
}

async function* toRows(entries: AsyncIterable<AuditEntry>) {
  for await (const { id, createdAt, action, actor, ip, subject, before, after } of entries) {
    const fields = [before, after].map((value) => (value === null ? null : JSON.stringify(value)));
    yield [id, createdAt.toISOString(), action, actor, ip, subject, ...fields];
  }
}

async function* toLines(entries: AsyncIterable<AuditEntry>) {
  for await (const { id, createdAt, action, actor, ip, subject, before, after } of entries) {
    const time = createdAt.toISOString();
    yield `${JSON.stringify({ id, time, action, actor, ip, subject, before, after })}\n`;
  }
}
