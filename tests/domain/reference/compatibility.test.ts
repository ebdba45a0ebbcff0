import { expect, test } from "vitest";
import { createOpenApiDocument } from "../../../app/api/document/openapi";
import { findBreaks } from "../../support/compatibility";
import { schemaOfAnswer } from "../../support/openapi";

const document = createOpenApiDocument();

/** Makes the document of a later release, with a change. */
// biome-ignore lint/suspicious/noExplicitAny: a change reaches into any part of it
function change(edit: (later: any) => void) {
  const later = structuredClone(document);
  edit(later);
  return findBreaks(document, later);
}

// biome-ignore lint/suspicious/noExplicitAny: as above
const schemaOf = (later: any, operation: any, status: string): any =>
  schemaOfAnswer(later, operation.responses[status]);

test.each<[string, (later: ReturnType<typeof JSON.parse>) => void, string]>([
  ["an endpoint", (d) => delete d.paths["/wallet"], "GET /wallet is gone"],
  [
    "a method",
    (d) => {
      d.paths["/wallet"].post = d.paths["/wallet"].get;
      delete d.paths["/wallet"].get;
    },
    "GET /wallet is gone",
  ],
  [
    "a field of an answer",
    (d) => delete schemaOf(d, d.paths["/rewards/proof"].get, "200").properties.amount,
    "GET /rewards/proof: 200.amount is gone",
  ],
  [
    "a field of a shared schema",
    (d) => delete d.components.schemas.WalletEntry.properties.rank,
    "GET /wallet: 200.rank is gone",
  ],
  [
    "a field's being always there",
    (d) => d.components.schemas.WalletEntry.required.pop(),
    "GET /wallet: 200.rank can be absent",
  ],
  [
    "a field's type",
    (d) => {
      d.components.schemas.WalletEntry.properties.points.type = "string";
    },
    "GET /wallet: 200.points has another type",
  ],
  [
    "a field within a list in one of two forms",
    (d) => delete d.components.schemas.TokenShare.properties.hasProof,
    "GET /rewards/claim-status: 200.distributions[].hasProof is gone",
  ],
  [
    "a code",
    (d) => schemaOf(d, d.paths["/wallet"].get, "404").properties.code.enum.pop(),
    "GET /wallet: 404.code lacks wallet_not_found",
  ],
  [
    "a status",
    (d) => delete d.paths["/wallet"].get.responses["404"],
    "GET /wallet: the status 404 is gone",
  ],
  [
    "a parameter",
    (d) => d.paths["/leaderboard"].get.parameters.pop(),
    "GET /leaderboard: the parameter include is gone",
  ],
  [
    "an optional parameter's being optional",
    (d) => {
      d.paths["/leaderboard"].get.parameters[1].required = true;
    },
    "GET /leaderboard: the parameter page is required",
  ],
  [
    "part of a parameter's range",
    (d) => {
      d.paths["/leaderboard"].get.parameters[2].schema.maximum = 100;
    },
    "GET /leaderboard: limit has a narrower maximum",
  ],
  [
    "a field of a body",
    (d) => {
      const { content } = d.paths["/trigger"].post.requestBody;
      delete content["application/json"].schema.properties.points;
    },
    "POST /trigger: body.points is gone",
  ],
  [
    "a body's being enough",
    (d) => {
      const { content } = d.paths["/trigger"].post.requestBody;
      content["application/json"].schema.required.push("points");
    },
    "POST /trigger: body.points is required",
  ],
  [
    "a call's working without a key",
    (d) => {
      d.paths["/rewards/proof"].get.security = [{ apiKey: [] }];
    },
    "GET /rewards/proof: it needs a key",
  ],
])("a release that takes away %s is found", (_, edit, sentence) => {
  expect(change(edit)).toContain(sentence);
});

test("a release that only adds is compatible", () => {
  const added = change((later) => {
    later.paths["/more"] = later.paths["/wallet"];
    later.components.schemas.WalletEntry.properties.level = { type: "integer" };
    const parameter = { name: "extra", in: "query", required: false, schema: { type: "string" } };
    later.paths["/wallet"].get.parameters.push(parameter);
    schemaOf(later, later.paths["/wallet"].get, "404").properties.code.enum.push("wallet_moved");
  });
  expect(added).toEqual([]);
});
