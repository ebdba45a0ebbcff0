/** Shows the product's name with its mark. */
export function Brand() {
  return (
    <span className="flex min-w-0 items-center gap-2.5 font-semibold tracking-tight">
      <svg aria-hidden="true" viewBox="0 0 32 32" className="size-7 shrink-0">
        <rect width="32" height="32" rx="8" className="fill-fill" />
        <path
          d="M9 22V10h7.5a4.2 4.2 0 0 1 0 8.4H13V22z"
          fill="none"
          strokeWidth="2.4"
          strokeLinejoin="round"
          className="stroke-on-fill"
        />
        <circle cx="22.5" cy="22" r="2.2" className="fill-on-fill" />
      </svg>
      <span className="truncate">Points and Rewards</span>
    </span>
  );
}
