/**
 * Returns an object that the whole process shares, made on first use. A plain module variable is not
 * shared: the two entries of the server build, and hot reload, each load a copy of a module.
 * @param name different from every other state's
 */
export function processState<State extends object>(name: string, init: () => State): State {
  const key = Symbol.for(`points-and-rewards: ${name}`);
  const states = globalThis as typeof globalThis & Record<symbol, State | undefined>;
  states[key] ??= init();
  return states[key];
}
