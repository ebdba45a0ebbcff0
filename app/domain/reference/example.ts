/** The values in the samples and examples of the reference. A signed-in reader sees their own. */
export interface ExampleValues {
  readonly origin: string;
  readonly pointSystemId: string;
  readonly wallet: string;
  readonly triggerKey: string;
  readonly onchainId: string;
  readonly chainId: number;
  /** The name of the reader's key; null for readers who are not signed in. */
  readonly keyName: string | null;
}

/** The values for readers who are not signed in. */
export const EXAMPLE: ExampleValues = {
  origin: "https://points.example.com",
  pointSystemId: "3f1c8a52-6d0b-4e57-9a41-2b7c5d9e8f10",
  wallet: "0x5aeda56215b167893e80b4fe645ba6d5bab767de",
  triggerKey: "daily_login",
  onchainId: "1",
  chainId: 84532,
  keyName: null,
};
