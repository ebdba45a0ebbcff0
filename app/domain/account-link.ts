/** What a link that was handed to someone does. */
export type AccountLinkKind = "invitation" | "password_reset";
