/** Names the public file of a campaign's trees for pages: its path for ever, and its hash. */
export function nameTreeFile(pointSystemId: string, campaignId: string, hash: Uint8Array) {
  const sha256 = Buffer.from(hash).toString("hex");
  return { path: `/claim/${pointSystemId}/${campaignId}/tree.json?sha256=${sha256}`, sha256 };
}
