/** Every type of event that an endpoint can choose, with the words in which it is shown. */
export const WEBHOOK_EVENT_TYPES = {
  "points.credited": "Points were credited: up to 100 credits in a delivery",
  "points.voided": "Credits were taken back: up to 100 in a delivery",
  "points.spent": "A wallet spent points",
  "points.spend_reversed": "A spend was reversed, which gives its points back",
  "wallet.blacklisted": "Wallets were added to the blacklist",
  "wallet.restored": "Wallets were removed from the blacklist",
  "wallet.tier_changed": "Points moved wallets to other tiers: up to 100 changes in a delivery",
  "wallet.linked": "A wallet was linked to a primary one, which now has its points",
  "wallet.unlinked": "A linked wallet was unlinked from its primary one",
  "import.committed": "An import was credited to its end",
  "import.undone": "An import was undone to its beginning",
  "trigger.changed": "A trigger was created, changed or deleted",
  "trigger.cap_reached": "A trigger’s cap refused a wallet for the first time in its window",
  "board.ended": "A window of a board ended, and its ranks are final",
  "campaign.published": "A campaign was published",
  "campaign.funded": "Buckets of a campaign were funded on chain",
  "campaign.cancelled": "A published campaign was cancelled, here or on chain",
  "claim.confirmed": "Claims became final on chain: up to 100 in a delivery",
  "claim.reverted": "Claims that were final were taken back by the chain",
  "gift_card.distributed": "Gift cards were assigned to wallets",
  "gift_card.revealed": "A holder revealed a gift card's code",
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENT_TYPES;

/** The types in the order of the list. */
export const WEBHOOK_EVENT_TYPE_NAMES = Object.keys(
  WEBHOOK_EVENT_TYPES,
) as readonly WebhookEventType[];

/** The types that are read from the ledger itself. */
export type LedgerEventType = Extract<WebhookEventType, "points.credited" | "points.voided">;

/** The type of a delivery: an event's, or that of a test that an operator sends. */
export type DeliveryType = WebhookEventType | "webhook.test";

/** The most deliveries, and the most events in none, that are counted as not delivered. */
export const LAG_COUNTED_MAX = 10_000;

/** The most subjects, such as credits or wallets, in one delivery. */
export const SUBJECTS_MAX = 100;

/**
 * The state of a delivery. `failed` is a test's; everything else waits until it is delivered, or
 * until an operator skips it.
 */
export type DeliveryState = "waiting" | "delivered" | "failed" | "skipped";
