import type { LoaderFunctionArgs } from "@remix-run/node";
import { Failure } from "../../domain/failure";
import { answerError } from "../../http/answers";
import { isManagePath, listApiMounts } from "../endpoints";
import { OPERATIONS } from "./operations";

const OPERATIONS_BY_PATH = new Map(
  listApiMounts().flatMap(({ path, endpoint }) =>
    isManagePath(endpoint) ? [[path, OPERATIONS[endpoint]] as const] : [],
  ),
);

/** Serves every endpoint of the management API, by its path. */
export const loader = async (args: LoaderFunctionArgs) => {
  const path = new URL(args.request.url).pathname.replace(/(.)\/$/, "$1");
  const operation = OPERATIONS_BY_PATH.get(path);
  return operation ? operation(args) : answerError(new Failure("not_found"), args.context);
};
export const action = loader;
