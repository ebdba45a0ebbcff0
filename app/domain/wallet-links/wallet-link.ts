/** The most wallets of one holder in a point system, the primary one included. */
export const WALLETS_OF_HOLDER_MAX = 20;

/** The time within which both wallets have to sign. */
export const LINK_MINUTES = 10;
