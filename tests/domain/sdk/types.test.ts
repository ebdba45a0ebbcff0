import { expect, test } from "vitest";
import { createOpenApiDocument } from "../../../app/api/document/openapi";
import { writeSdkTypes } from "../../support/sdk-types";

test("the SDK's types are those of the OpenAPI document: `npx vitest run FILE -u` writes them", async () => {
  const text = await writeSdkTypes(createOpenApiDocument());
  await expect(text).toMatchFileSnapshot("../../../sdk/src/openapi.ts");
});
