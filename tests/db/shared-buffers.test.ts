import { expect, test } from "vitest";
import { chooseSharedBuffers } from "../../app/db/embedded/shared-buffers";

test.each([
  ["128 MiB", 128, "64MB"],
  ["1 GiB", 1_024, "256MB"],
  ["3 GiB and a bit", 3_073.9, "768MB"],
  ["64 GiB", 65_536, "4096MB"],
])("the embedded database caches a quarter of %s, within bounds", (_, mebibytes, size) => {
  expect(chooseSharedBuffers(mebibytes * 1024 ** 2)).toBe(size);
});
