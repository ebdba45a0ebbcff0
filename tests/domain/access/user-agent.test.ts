import { expect, test } from "vitest";
import { describeUserAgent } from "../../../app/domain/access/user-agent";

const MAC =
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

test.each([
  ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
  [`${MAC} Chrome/138.0.0.0 Safari/537.36`, "Chrome on macOS"],
  [`${MAC} Chrome/138.0.0.0 Safari/537.36 OPR/122.0.0.0`, "Opera on macOS"],
  [`${MAC} Version/18.5 Safari/605.1.15`, "Safari on macOS"],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0",
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    "Samsung Internet on Android",
  ],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`${IPHONE} CriOS/138.0.7204.119 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  ["Mozilla/5.0 (X11; Linux x86_64) SomethingElse/1.0", "A browser on Linux"],
  ["curl/8.14.1", "Unknown browser"],
  ["", "Unknown browser"],
])("%j is described as %j", (userAgent, description) => {
  expect(describeUserAgent(userAgent)).toBe(description);
});
