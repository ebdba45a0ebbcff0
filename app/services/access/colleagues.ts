import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { operators } from "../../db/schema/operators";
import type { Member } from "./members";

// Owners and editors see the e-mail addresses of their colleagues. Viewers see names.

type Fields = Readonly<Record<string, unknown>> | null;

/** An audit entry, as far as it names people. */
interface NamingEntry {
  readonly actor: string;
  readonly ip: string | null;
  readonly subject: string;
  readonly before: Fields;
  readonly after: Fields;
}

const HIDDEN = "(address hidden)";

/** Checks whether a member may see the e-mail addresses and networks of the others. */
export function seesAddresses({ role }: Member): boolean {
  return role !== "viewer";
}

/** Selects the text by which a member sees an operator, as a look-up for each row. */
export function selectLabel(member: Member, operatorId: SQLWrapper): SQL<string | null> {
  const column = sql.raw(seesAddresses(member) ? "email" : "name");
  return sql`(select o.${column} from ${operators} o where o.id = ${operatorId} limit 1)`;
}

/** Selects an operator's name. */
export function selectName(operatorId: SQLWrapper): SQL<string | null> {
  return sql`(select o.name from ${operators} o where o.id = ${operatorId} limit 1)`;
}

/**
 * Removes e-mail addresses and networks from an audit entry.
 * @param name the name of the operator who acted; null when the account is gone or there was none
 */
export function hideAddresses<Entry extends NamingEntry>(entry: Entry, name: string | null): Entry {
  return {
    ...entry,
    actor: entry.actor.includes("@") ? (name ?? "A former operator") : entry.actor,
    ip: null,
    subject: hideInText(entry.subject),
    before: hideInFields(entry.before),
    after: hideInFields(entry.after),
  };
}

/** Removes e-mail addresses from the texts of an object. */
export function hideInFields<Value extends Fields>(fields: Value): Value {
  return fields && (hideIn(fields) as Value);
}

function hideIn(value: unknown): unknown {
  if (typeof value === "string") return hideInText(value);
  if (Array.isArray(value)) return value.map(hideIn);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, hideIn(field)]));
}

/** Replaces each word with an @ in it. */
function hideInText(text: string): string {
  if (!text.includes("@")) return text;
  return text
    .split(" ")
    .map((word) => (word.includes("@") ? HIDDEN : word))
    .join(" ");
}
