import path from "node:path";
import { readOptions } from "./options";
import { reportLedger } from "./report-ledger";
import { withCommandDatabase } from "./with-database";

// npm run ledger:verify [-- --archives FOLDER | --without-archives] [--allow-empty]: recomputes every wallet from its
// events, those in archives among them. The exit status is 1 if anything differs, an archive is missing, or there is no
// point system: another database than the wanted one is often empty.

const USAGE = "npm run ledger:verify [-- --archives FOLDER | --without-archives] [--allow-empty]";
const { values } = readOptions(USAGE, {
  archives: { type: "string" },
  "without-archives": { type: "boolean" },
  "allow-empty": { type: "boolean" },
});
await withCommandDatabase(({ DATA_DIR }) =>
  reportLedger({
    archives: values["without-archives"]
      ? null
      : (values.archives ?? path.join(DATA_DIR, "archives")),
    isEmptyRight: values["allow-empty"] ?? false,
  }),
);
