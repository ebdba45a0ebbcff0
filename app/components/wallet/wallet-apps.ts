// Links that open a page, or a WalletConnect pairing, in the apps of common wallets.

/** The app of a wallet on a phone. */
export interface WalletApp {
  readonly name: string;
  /**
   * Makes the link that opens a page in the app's own browser, in which its wallet is present; null
   * when it has no such link.
   */
  readonly toPageLink: ((page: string) => string) | null;
  /** Makes the link that hands a WalletConnect pairing to the app; null when it takes none so. */
  readonly toPairingLink: ((uri: string) => string) | null;
}

const encode = encodeURIComponent;

/** The apps that are offered, in the order in which they are listed. */
export const WALLET_APPS: readonly WalletApp[] = [
  {
    name: "MetaMask",
    toPageLink: (page) => `https://link.metamask.io/dapp/${page.replace(/^https?:\/\//, "")}`,
    toPairingLink: (uri) => `https://metamask.app.link/wc?uri=${encode(uri)}`,
  },
  {
    name: "Trust Wallet",
    toPageLink: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encode(page)}`,
    toPairingLink: (uri) => `https://link.trustwallet.com/wc?uri=${encode(uri)}`,
  },
  {
    name: "Coinbase Wallet",
    toPageLink: (page) => `https://go.cb-w.com/dapp?cb_url=${encode(page)}`,
    toPairingLink: (uri) => `https://go.cb-w.com/wc?uri=${encode(uri)}`,
  },
  {
    name: "OKX Wallet",
    toPageLink: (page) =>
      `https://web3.okx.com/download?deeplink=${encode(`okx://wallet/dapp/url?dappUrl=${encode(page)}`)}`,
    toPairingLink: null,
  },
  {
    name: "Phantom",
    toPageLink: (page) =>
      `https://phantom.app/ul/browse/${encode(page)}?ref=${encode(new URL(page).origin)}`,
    toPairingLink: null,
  },
  {
    name: "Bitget Wallet",
    toPageLink: (page) => `https://bkcode.vip?action=dapp&url=${encode(page)}`,
    toPairingLink: (uri) => `https://bkcode.vip/wc?uri=${encode(uri)}`,
  },
  {
    name: "Rainbow",
    toPageLink: null,
    toPairingLink: (uri) => `https://rnbwapp.com/wc?uri=${encode(uri)}`,
  },
  {
    name: "Zerion",
    toPageLink: null,
    toPairingLink: (uri) => `https://wallet.zerion.io/wc?uri=${encode(uri)}`,
  },
  {
    name: "Uniswap Wallet",
    toPageLink: null,
    toPairingLink: (uri) => `https://uniswap.org/app/wc?uri=${encode(uri)}`,
  },
];
