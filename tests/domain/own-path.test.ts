import { expect, test } from "vitest";
import { findDashboardPath } from "../../app/domain/own-path";

test.each([
  ["/dashboard", "/dashboard"],
  ["/dashboard/abc/members?page=2", "/dashboard/abc/members?page=2"],
  ["/dashboard/../dashboard/new", "/dashboard/new"],
])("%s is a path of the dashboard", (text, path) => {
  expect(findDashboardPath(text)).toBe(path);
});

test.each([
  undefined,
  7,
  "",
  "/",
  "/sign-out",
  "/dashboards",
  "//evil.example/dashboard",
  "/\\evil.example/dashboard",
  "\\\\evil.example/dashboard",
  "https://evil.example/dashboard",
  "javascript:alert(1)//dashboard",
  "/dashboard/../sign-out",
  "/\t/evil.example/dashboard",
  `/dashboard/${"a".repeat(2_000)}`,
])("%s is none", (text) => {
  expect(findDashboardPath(text)).toBeNull();
});
