export { type ClientOptions, type CreditOptions, PointsClient } from "./client.js";
export {
  ApiError,
  AuthenticationError,
  ConnectionError,
  type ErrorCode,
  IdempotencyError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  PointsError,
  RateLimitError,
  RefusedCreditError,
  ServerError,
  TimeoutError,
  UnavailableError,
} from "./errors.js";
export type { components } from "./openapi.js";
export { computeRoot, type Share, verifyProof } from "./proof.js";
export type { CallOptions } from "./transport.js";
export { verifyWebhook, WebhookError, type WebhookEvent, type WebhookOptions } from "./webhook.js";
