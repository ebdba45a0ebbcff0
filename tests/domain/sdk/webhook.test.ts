import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { verifyWebhook, WebhookError } from "../../../sdk/src/webhook";

const SECRET = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const FORMER = `whsec_${Buffer.from("fedcba9876543210fedcba9876543210").toString("base64")}`;
const body = JSON.stringify({
  type: "points.credited",
  timestamp: "2026-01-02T03:04:05.000Z",
  data: { pointSystemId: "3f1c8a52-6d0b-4e57-9a41-2b7c5d9e8f10", note: "é€" },
});

function sign(secret = SECRET, { id = "msg_1", at = new Date(), text = body } = {}) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    "webhook-signature": new Webhook(secret).sign(id, at, text),
  };
}

test("a delivery that the standard's library signed is verified and read", async () => {
  const event = { ...JSON.parse(body), id: "msg_1" };
  expect(await verifyWebhook({ secret: SECRET, headers: sign(), body })).toEqual(event);
  const headers = new Headers(sign());
  const bytes = new TextEncoder().encode(body);
  expect(await verifyWebhook({ secret: SECRET, headers, body: bytes })).toEqual(event);
});

test("while a secret is rotated, one of two signatures is enough", async () => {
  const headers = sign();
  headers["webhook-signature"] =
    `${sign(FORMER)["webhook-signature"]} ${headers["webhook-signature"]}`;
  await verifyWebhook({ secret: SECRET, headers, body });
  await verifyWebhook({ secret: FORMER, headers, body });
});

const minutes = (count: number) => new Date(Date.now() + count * 60_000);

test.each<[string, Record<string, string | undefined>, string?]>([
  ["another secret's signature", sign(FORMER)],
  ["another body", sign(), body.replace("credited", "voided")],
  ["another id", { ...sign(), "webhook-id": "msg_2" }],
  ["another time", { ...sign(), "webhook-timestamp": String(Math.floor(Date.now() / 1_000) - 9) }],
  ["an old delivery", sign(SECRET, { at: minutes(-6) })],
  ["a delivery of the future", sign(SECRET, { at: minutes(6) })],
  ["no time", { ...sign(), "webhook-timestamp": "soon" }],
  ["no signature", { ...sign(), "webhook-signature": undefined }],
  [
    "a signature of another version",
    {
      ...sign(),
      "webhook-signature": sign()["webhook-signature"].replace("v1,", "v1a,"),
    },
  ],
  ["a signature that is no base64", { ...sign(), "webhook-signature": "v1,*** v1," }],
])("%s is refused", async (_, headers, text = body) => {
  await expect(verifyWebhook({ secret: SECRET, headers, body: text })).rejects.toThrow(
    WebhookError,
  );
});

test.each(["", "whsec_", "whsec_***"])("the secret %j is the caller's mistake", async (secret) => {
  await expect(verifyWebhook({ secret, headers: sign(), body })).rejects.toThrow(TypeError);
});
