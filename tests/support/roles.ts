import { PAGES, type PageRights } from "../../app/domain/access/page-rights";
import type { Role } from "../../app/domain/access/role";

/** One row of the table of roles: a page that is read, or a form that is sent. */
interface Cell {
  readonly page: string;
  /** Null for reading. */
  readonly intent: string | null;
  readonly role: Role;
  readonly does: string;
}

/** Lists the rows of the table of roles for point systems. */
export function listPointSystemCells(): Cell[] {
  return Object.entries<PageRights>(PAGES).flatMap(([page, rights]) => {
    const { shows, read, write = "owner", forms = {}, alone = {} } = rights;
    return [
      { page, intent: null, role: read, does: `See: ${shows}` },
      ...Object.entries(forms).map(([intent, does]) => ({ page, intent, role: write, does })),
      ...Object.entries(alone).map(([intent, each]) => ({ page, intent, ...each })),
    ];
  });
}
