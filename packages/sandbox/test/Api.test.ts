import { forAll } from "@pawl/test-support/Properties"
import { Api } from "@pawl/sandbox/internal/contract/Api"
import * as Endpoint from "@pawl/http/internal/wire/Endpoint"
import { RequestId } from "@pawl/core/Transaction"
import * as Endpoints from "@pawl/testkit/internal/gateway/Endpoints"
import * as Schema from "effect/Schema"
import * as OpenApi from "effect/http-api/OpenApi"
import fc from "fast-check"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import * as Descriptions from "../src/internal/contract/OpenApiDescriptions.ts"

const document = OpenApi.fromApi(Api)

it("equals openapi.json; `vitest -u` writes the file", async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot("../openapi.json")
})

it("the document, the client and the gateway have exactly the endpoints of the specification, and one status of success for each", () => {
  const spec = readFileSync(new URL("../../../docs/spec.md", import.meta.url), "utf8")
  const named = spec.matchAll(/\b(GET|POST|PUT|DELETE) (\/api\/v1\/[a-z/]*(?:\{[A-Za-z]+\})?)/g)
  const written = new Set(Array.from(named, ([, method, path]) => `${method} ${path}`))
  written.add("POST /api/v1/auth")
  const declared = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations as Readonly<Record<string, OpenApi.OpenAPISpecOperation>>).map(
      ([method, { responses }]) => [`${method.toUpperCase()} ${path}`, responses] as const
    )
  )
  const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path.replace(/:(\w+)/u, "{$1}")}`
  const called = Object.values(Endpoint).map(nameOf)
  for (const names of [declared.map(([name]) => name), called])
    expect(names.toSorted()).toEqual([...written].toSorted())
  const successes = declared.map(
    ([name, responses]) => `${name} ${Object.keys(responses).find((status) => status < "300")}`
  )
  const routes = Endpoints.all.map(
    (endpoint) => `${nameOf(endpoint)} ${"success" in endpoint ? 200 : 204}`
  )
  expect(routes.toSorted()).toEqual(successes.toSorted())
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

it("has no listed values beside any text, which TypeScript reads as any text", () => {
  const unions = objectsOf(document).flatMap(({ anyOf }) => (Array.isArray(anyOf) ? [anyOf] : []))
  const isText = (member: Part) => member.type === "string" && !("enum" in member)
  for (const union of unions as ReadonlyArray<ReadonlyArray<Part>>) {
    expect(union.some(isText) && union.some((member) => "enum" in member)).toBe(false)
  }
  expect(JSON.stringify(schemas["ApmPayload"])).toContain('"additionalProperties":true')
  expect(schemas["ApmPaymentRequest"]).not.toHaveProperty("additionalProperties")
})

interface Part {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Part>>
  readonly items?: Part
}

const schemas = document.components.schemas as Readonly<Record<string, Part>>

const objectsOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  typeof value === "object" && value !== null
    ? [value as Readonly<Record<string, unknown>>, ...Object.values(value).flatMap(objectsOf)]
    : []

it("describes every field and every parameter, and has no description of another one", () => {
  const known = new Set<string>()
  for (const { parameters, properties } of objectsOf(document)) {
    for (const [name, property] of Object.entries(properties ?? {})) {
      known.add(name)
      expect([name, property.description]).toEqual([name, expect.stringMatching(/^[A-Z].{3}/u)])
    }
    for (const parameter of Array.isArray(parameters) ? parameters : []) {
      expect([parameter.name, parameter.description]).toEqual([
        parameter.name,
        expect.stringMatching(/^[A-Z].{3}/u)
      ])
    }
  }
  expect([...known]).toEqual(expect.arrayContaining(Object.keys(Descriptions.fields)))
  for (const name of Object.keys(Descriptions.special)) {
    const [schema = "", field = ""] = name.split(".")
    const fields = Object.keys(schemas[schema]?.properties ?? {})
    expect([name, ...fields]).toEqual(expect.arrayContaining([name, field]))
  }
})

it("has an example for every body", () => {
  const bodies = objectsOf(document).flatMap(({ content }) => Object.values(content ?? {}))
  expect(bodies.length).toBeGreaterThan(100)
  for (const body of bodies) expect(Object.keys(body)).toEqual(["schema", "example"])
})

it("has only patterns that Python, Java and Go compile", () => {
  const patterns = objectsOf(document).flatMap(({ pattern }) => pattern ?? [])
  expect(patterns.length).toBeGreaterThan(20)
  // The only escapes are a dot, a class and a byte; the only group is (?: ).
  for (const pattern of patterns) {
    expect(pattern).toMatch(/^\^(?:[^\\(]|\\[.sS]|\\x[0-9a-f]{2}|\((?!\?)|\(\?:)+\$$/u)
  }
})

it("an identifier is accepted by its pattern in the document as by the schema", () => {
  const { pattern } = objectsOf(schemas["RefundRequest"]).find(({ pattern }) =>
    String(pattern).includes("\\x1f")
  ) as { readonly pattern: string }
  const isId = Schema.is(RequestId)
  const unit = fc.constantFrom(..."aé|\0\t\n\x1f \x7e\x7f\x80\x9f\xa0\u2028😀")
  return forAll([fc.string({ unit, maxLength: 3 })], (text) => {
    expect(new RegExp(pattern, "u").test(text)).toBe(isId(text))
  })
})

it("redacts the secret of the credentials, under its name", () => {
  const { merchantSecret } = Schema.decodeUnknownSync(Endpoint.authenticate.payload)({
    merchantKey: "key",
    merchantSecret: "secret"
  })
  expect(merchantSecret.label).toBe("merchantSecret")
})
