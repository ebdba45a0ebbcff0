/** Mutants that do what the contract does, by `line -> changed line`, each with the reason. */
export const EQUIVALENT: ReadonlyMap<string, string> = new Map([]);
