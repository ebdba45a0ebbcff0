/**
 * Does work for each item, one after the other. An item that fails stops no other.
 * @param name names an item for people
 * @throws {AggregateError} every failure with its item's name, after the last item
 */
export async function doOneByOne<Item>(
  items: readonly Item[],
  name: (item: Item) => string,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: Error[] = [];
  for (const item of items) {
    await work(item).catch((cause: unknown) => {
      failures.push(new Error(`${name(item)} failed`, { cause }));
    });
  }
  if (failures.length === 0) return;
  throw new AggregateError(failures, `${failures.length} of ${items.length} failed`);
}
