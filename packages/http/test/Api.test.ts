import { Api } from "@pawl/http/Api"
import * as OpenApi from "effect/http-api/OpenApi"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"

const document = OpenApi.fromApi(Api)

it("equals openapi.json; `vitest -u` writes the file", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("../openapi.json")
})

it("has exactly the endpoints and paths of the specification", () => {
  const spec = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8")
  const named = spec.matchAll(/\b(GET|POST|PUT|DELETE) (\/api\/v1\/[a-z/]*(?:\{[A-Za-z]+\})?)/g)
  const written = new Set(Array.from(named, ([, method, path]) => `${method} ${path}`))
  written.add("POST /api/v1/auth")
  const declared = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`)
  )
  expect(declared.toSorted()).toEqual([...written].toSorted())
})

it("declares 400, 401, 404 and 500 on every endpoint, and the access token on all but /auth", () => {
  const methods = ["get", "post", "put", "delete"] as const
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const operation of methods.flatMap((method) => operations[method] ?? [])) {
      expect(Object.keys(operation.responses)).toEqual(
        expect.arrayContaining(["400", "401", "404", "500"])
      )
      expect(operation.security).toEqual(path === "/api/v1/auth" ? [] : [{ bearer: [] }])
    }
  }
})

it("writes the security scheme in its registered spelling", () => {
  expect(document.components.securitySchemes["bearer"]).toEqual({ type: "http", scheme: "bearer" })
})

it("types an id as an integer where the specification does, and as text elsewhere", () => {
  const schemas = document.components.schemas as Record<
    string,
    { readonly properties: Record<string, unknown> }
  >
  expect(schemas["RefundRequest"]?.properties["transactionId"]).toEqual({ type: "integer" })
  expect(schemas["ApmPayoutInfo"]?.properties["accountId"]).toEqual({ type: "integer" })
  expect(schemas["RefundInfo"]?.properties["totalAmount"]).toEqual({ type: "number" })
  expect(schemas["CardPayoutInfo"]?.properties["totalAmount"]).toEqual({ type: "number" })
  expect(schemas["RefundResponse"]?.properties["refundId"]).toEqual({ type: "string" })
  for (const { properties } of Object.values(schemas)) {
    for (const property of Object.values(properties)) expect(property).not.toEqual({})
  }
})
