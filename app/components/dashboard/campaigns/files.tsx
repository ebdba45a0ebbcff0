const LOOK = "inline-flex min-h-6 items-center text-sm text-accent underline";

/** Offers the files with which a campaign can be computed again. */
export function CampaignFiles({ base }: { base: string }) {
  return (
    <>
      <a href={`${base}/allocation.csv`} download className={LOOK}>
        Allocation (CSV)
      </a>
      <a href={`${base}/claims.csv`} download className={LOOK}>
        Claims (CSV)
      </a>
      <a href={`${base}/trees.json`} download className={LOOK}>
        Merkle trees (JSON)
      </a>
    </>
  );
}
