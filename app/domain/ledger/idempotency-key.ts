/** The accepted idempotency keys: 1 to 255 printable ASCII characters. */
const IDEMPOTENCY_KEY_PATTERN = /^[\x20-\x7e]{1,255}$/;

/** Checks whether text can be an idempotency key. */
export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY_PATTERN.test(text);
}
