/** A delivery of a webhook. The reference of webhooks has the data of each type. */
export interface WebhookEvent {
  readonly type: string;
  /** The time of the event, or of the first one in the delivery. */
  readonly timestamp: string;
  readonly data: { readonly pointSystemId: string; readonly [field: string]: unknown };
}

/** The delivery does not come from the point system, or is too old. */
export class WebhookError extends Error {
  override name = "WebhookError";
}

export interface WebhookOptions {
  /** The endpoint's secret: whsec_… */
  secret: string;
  /** The request's headers. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The request's body as it came, before any parser. */
  body: string | Uint8Array;
  /** Seconds by which the delivery's time may differ from this machine's: 300 by default. */
  toleranceSeconds?: number | undefined;
}

/**
 * Verifies a delivery by Standard Webhooks 1.0, and reads it. `id` is the same in each of its attempts.
 * @throws {WebhookError}
 */
export async function verifyWebhook(
  options: WebhookOptions,
): Promise<WebhookEvent & { readonly id: string }> {
  const { secret, headers, body, toleranceSeconds = 300 } = options;
  const [id, sentAt, signatures] = ["id", "timestamp", "signature"].map((name) => {
    const header = `webhook-${name}`;
    const value = headers instanceof Headers ? headers.get(header) : headers[header];
    if (typeof value !== "string") throw new WebhookError(`The header ${header} is missing`);
    return value;
  }) as [string, string, string];
  const ageSeconds = Math.abs(Date.now() / 1_000 - (/^\d+$/.test(sentAt) ? Number(sentAt) : 0));
  if (ageSeconds > toleranceSeconds) throw new WebhookError("The delivery is too old, or too new");

  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const prefix = encoder.encode(`${id}.${sentAt}.`);
  const signed = new Uint8Array(prefix.length + bytes.length);
  signed.set(prefix);
  signed.set(bytes, prefix.length);
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const raw = readBase64(secret.replace(/^whsec_/, ""));
  if (!raw?.length) throw new TypeError("The secret is not whsec_ and base64");
  const key = await crypto.subtle.importKey("raw", raw, hmac, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const value = signature.startsWith("v1,") ? readBase64(signature.slice(3)) : null;
    if (value && (await crypto.subtle.verify("HMAC", key, value, signed))) {
      return { ...(JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent), id };
    }
  }
  throw new WebhookError("No signature fits the secret");
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
