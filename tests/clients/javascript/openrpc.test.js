import assert from "node:assert/strict";
import test from "node:test";

import { jsonSchema } from "@json-schema-tools/meta-schema";
import { openrpcDocument } from "@open-rpc/meta-schema";
import { Ajv } from "ajv";
import { JsonRpcProvider } from "ethers";

/** OpenRPC's schema with the one it builds on inside it, so that ajv has nothing to look up. */
function whole() {
  const { $schema, $id, ...own } = openrpcDocument;
  const local = (schema, from, to) => JSON.parse(JSON.stringify(schema).replaceAll(from, to));
  const schema = local(own, "https://meta.json-schema.tools/#", "#");
  const { definitions, title, oneOf } = local(jsonSchema, '"#"', '"#/definitions/JSONSchema"');
  Object.assign(schema.definitions, definitions, { JSONSchema: { title, oneOf } });
  return schema;
}

test("what rpc.discover answers is a document as OpenRPC's own schema has it", async () => {
  const provider = new JsonRpcProvider(process.env.DEVCHAIN_URL);
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(whole());
  const document = await provider.send("rpc.discover", []);

  assert.ok(isValid(document), JSON.stringify(isValid.errors?.slice(0, 3)));
  assert.ok(document.methods.length > 100);
  const [method] = document.methods;
  for (const wrong of [{ params: [{ name: "block" }] }, { result: { name: "x", schema: 7 } }]) {
    assert.ok(!isValid({ ...document, methods: [{ ...method, ...wrong }] }));
  }
  provider.destroy();
});
