import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { findProgram } from "../support/ensure-program";
import { RULES } from "./prometheus";

const hasPromtool = findProgram("promtool", "prometheus", "which failures page the operator");

/** Evaluates the rules after ten minutes of a call a second that a route answers with a status. */
async function isPaged(route: string, status: number): Promise<boolean> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "points-rules-"));
  try {
    const series = `points_http_request_duration_seconds_count{instance="a",route="${route}",status="${status}"}`;
    const file = path.join(folder, "test.json");
    const tests = [
      {
        interval: "1m",
        input_series: [{ series, values: "0+60x12" }],
        alert_rule_test: [{ eval_time: "11m", alertname: "PointsErrors", exp_alerts: [] }],
      },
    ];
    await fs.writeFile(file, JSON.stringify({ rule_files: [path.resolve(RULES)], tests }));
    await promisify(execFile)("promtool", ["test", "rules", file]);
    return false;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    expect(`${stdout}${stderr}`).toContain("PointsErrors");
    return true;
  } finally {
    await fs.rm(folder, { recursive: true });
  }
}

test.runIf(hasPromtool).each([
  ["/trigger", 503, true],
  ["/score", 500, true],
  // Another service's outage is shown on the page of the score's providers.
  ["/score", 503, false],
  ["/api/sdk/score", 502, false],
  ["/readyz", 503, false],
  ["/trigger", 429, false],
])(
  "a call a second of %s that is answered %i pages the operator: %s",
  async (route, status, isExpected) => {
    expect(await isPaged(route, status)).toBe(isExpected);
  },
);
