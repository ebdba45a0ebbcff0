import { expect, test } from "vitest";
import { chooseRecoverySync } from "../../app/db/embedded/recovery-sync";

test.each([
  ["linux", "6.1.0-18-amd64", "syncfs"],
  ["linux", "5.10.0", "syncfs"],
  ["linux", "5.8.0-rc1", "syncfs"],
  ["linux", "5.7.19", "fsync"],
  ["linux", "4.18.0-553.el8.x86_64", "fsync"],
  ["darwin", "24.0.0", "fsync"],
  ["win32", "10.0.19045", "fsync"],
])(
  "on %s %s a recovery makes its files safe by %s, whose errors are seen there",
  (platform, kernel, method) => {
    expect(chooseRecoverySync(platform, kernel)).toBe(method);
  },
);
