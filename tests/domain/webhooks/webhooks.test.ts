import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { getRetryWaitSeconds } from "../../../app/domain/webhooks/schedule";
import { generateWebhookSecret, signWebhook } from "../../../app/domain/webhooks/signature";
import { parseWebhookUrl } from "../../../app/domain/webhooks/url";

test("a signature is that of the standard's own example", () => {
  // Source: Standard Webhooks' test vector.
  const signature = signWebhook(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"], {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    seconds: 1_614_265_330,
    body: '{"test": 2432232314}',
  });
  expect(signature).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("with two secrets, a receiver that has either verifies; another one does not", () => {
  const [first, second, other] = [1, 2, 3].map(generateWebhookSecret) as [string, string, string];
  const seconds = Math.floor(Date.now() / 1_000);
  const body = '{"type":"points.credited","data":{"name":"é😀"}}';
  const headers = {
    "webhook-id": "1",
    "webhook-timestamp": String(seconds),
    "webhook-signature": signWebhook([first, second], { id: "1", seconds, body }),
  };
  for (const secret of [first, second]) {
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  }
  expect(() => new Webhook(other).verify(body, headers)).toThrow();
  expect(() => new Webhook(first).verify(`${body} `, headers)).toThrow();
});

test("retries come after 5 s, 30 s, 2 min, 10 min and 1 h, then every 6 h", () => {
  const hour = 3_600;
  expect([1, 2, 3, 4, 5, 6, 7, 40].map(getRetryWaitSeconds)).toEqual([
    5,
    30,
    120,
    600,
    hour,
    6 * hour,
    6 * hour,
    6 * hour,
  ]);
});

test.each([
  ["https://example.com", "https://example.com/"],
  ["HTTPS://Example.com:8443/a?b=c#d", "https://example.com:8443/a?b=c"],
  ["http://10.1.2.3/hook", "http://10.1.2.3/hook"],
])("%s is called as %s", (text, called) => {
  expect(parseWebhookUrl(text)?.href).toBe(called);
});

test.each([
  "",
  "example.com",
  "//example.com",
  "ftp://example.com",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://user:secret@example.com",
  "https://user@example.com",
  `https://example.com/${"a".repeat(2_000)}`,
  `https://example.com/${"é".repeat(600)}`,
])("%s is no URL of a webhook", (text) => {
  expect(parseWebhookUrl(text)).toBeNull();
});
