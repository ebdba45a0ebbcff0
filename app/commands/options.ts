import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads the options and the other arguments of a command. A wrong call ends the process with a sentence, the
 * command's usage and status 2. An empty argument is one: it comes of a variable that is not set, and as a folder it
 * would be the present one.
 */
export function readOptions<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
  argumentsMax = 0,
) {
  try {
    const read = parseArgs({ options, allowPositionals: true, tokens: true });
    if (process.argv.slice(2).some((argument) => /^(--[a-z-]+=)?$/.test(argument))) {
      throw new Error("An argument is empty");
    }
    const named = read.tokens.flatMap((token) => (token.kind === "option" ? token.name : []));
    const twice = named.find((name, i) => named.indexOf(name) < i);
    if (twice !== undefined) throw new Error(`The option '--${twice}' is given twice`);
    const surplus = read.positionals[argumentsMax];
    if (surplus === undefined) return read;
    throw new Error(`Unexpected argument '${surplus}'`);
  } catch (error) {
    return refuseCall((error as Error).message, usage);
  }
}

/** Ends the process because of a wrong call. */
export function refuseCall(message: string, usage: string): never {
  // Node's own hint at the syntax of other programs follows the first sentence.
  console.error(`${message.split(". ")[0]}. Usage: ${usage}`);
  process.exit(2);
}
