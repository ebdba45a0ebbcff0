import { Tabs } from "../ui/tabs";

/**
 * Links a point system's public boards; shows nothing when there is only the all-time board.
 * @param props.board the board on the page; null for the all-time board
 * @param props.path the page's path
 * @param props.more more of the query that the links keep
 */
export function BoardTabs({
  board,
  boards,
  path,
  more = {},
}: {
  board: string | null;
  boards: readonly { readonly name: string; readonly title: string }[];
  path: string;
  more?: Readonly<Record<string, string>>;
}) {
  if (boards.length === 0) return null;
  const makeHref = (name: string | null) => {
    const query = new URLSearchParams({ ...(name !== null && { board: name }), ...more });
    return query.size === 0 ? path : `${path}?${query}`;
  };
  // A past window belongs to the tab of its board.
  const isCurrent = (name: string) =>
    board === name ||
    (board !== null && !board.startsWith("season:") && board.startsWith(`${name}:`));
  return (
    <Tabs
      label="Boards"
      tabs={[
        { label: "All time", to: makeHref(null), isCurrent: board === null },
        ...boards.map(({ name, title }) => ({
          label: title,
          to: makeHref(name),
          isCurrent: isCurrent(name),
        })),
      ]}
    />
  );
}
