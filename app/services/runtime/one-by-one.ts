/**
 * Does work for each item, one after the other. An item that fails stops no other.
 * @throws the first failure, after the last item
 */
export async function doOneByOne<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
