import { Failure } from "../domain/failure";
import { answerFailure } from "./endpoint";

/** Any other path under /api. */
export const loader = () => answerFailure(new Failure("not_found"));
export const action = loader;
