import { type ParseArgsConfig, parseArgs } from "node:util";

/**
 * Reads the options and the other arguments of a command. A wrong call ends the process with a sentence, the
 * command's usage and status 2.
 */
export function readOptions<const Options extends NonNullable<ParseArgsConfig["options"]>>(
  usage: string,
  options: Options,
  argumentsMax = 0,
) {
  try {
    const read = parseArgs({ options, allowPositionals: true });
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
