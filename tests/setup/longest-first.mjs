import path from "node:path";
import { BaseSequencer } from "vitest/node";
import { LONGEST_DEEP_FILES } from "../long-files.mjs";

/** Begins with the files that take minutes, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  /**
   * @override
   * @param {import("vitest/node").TestSpecification[]} files
   */
  async sort(files) {
    /** @param {import("vitest/node").TestSpecification} file */
    const place = ({ moduleId }) => {
      const index = LONGEST_DEEP_FILES.indexOf(path.relative(this.ctx.config.root, moduleId));
      return index === -1 ? LONGEST_DEEP_FILES.length : index;
    };
    // Where places are equal, the order stays.
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
