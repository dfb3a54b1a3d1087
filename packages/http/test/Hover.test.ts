import * as LanguageServer from "@pawl/test-support/LanguageServer"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Endpoint from "../src/internal/wire/Endpoint.ts"
import { operations } from "./support/operations.ts"

const types: ReadonlyArray<readonly [module: string, input: string, response: string, Endpoint]> = [
  ["ApmPayment", "ApmPaymentInput", "ApmPaymentResponse", Endpoint.createApmPayment],
  ["ApmPayout", "ApmPayoutInput", "ApmPayoutResponse", Endpoint.createApmPayout],
  ["ApmPayout", "", "ApmPayoutInfo", Endpoint.readApmPayout],
  ["CardPayment", "CardPaymentInput", "CardPaymentResponse", Endpoint.createCardPayment],
  ["CardPayment", "TokenizeInput", "TokenizeResponse", Endpoint.tokenizeCard],
  ["CardPayout", "CardPayoutInput", "CardPayoutResponse", Endpoint.createCardPayout],
  ["CardPayout", "", "CardPayoutInfo", Endpoint.readCardPayout],
  ["Refund", "RefundInput", "RefundResponse", Endpoint.createRefund],
  ["Refund", "", "RefundInfo", Endpoint.readRefund],
  ["PaymentIntent", "PaymentIntentInput", "PaymentIntentResponse", Endpoint.createPaymentIntent],
  ["Subscription", "SubscriptionInput", "SubscriptionResponse", Endpoint.createSubscription],
  ["Subscription", "SubscriptionUpdateInput", "Subscription", Endpoint.updateSubscription]
]
interface Endpoint {
  readonly payload?: Schema.Top
  readonly success: Schema.Top
}

const objectOf = (ast: SchemaAST.AST): SchemaAST.Objects | undefined => {
  if (ast._tag === "Objects") return ast.propertySignatures.length > 0 ? ast : undefined
  return ast._tag === "Union"
    ? ast.types.map(objectOf).find((each) => each !== undefined)
    : undefined
}

const pathsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  objectOf(ast)?.propertySignatures.flatMap(({ name, type }) => [
    String(name),
    ...pathsOf(type).map((path) => `${String(name)}?.${path}`)
  ]) ?? []

/** An object of several types counts once. */
const fields = types
  .flatMap(([module, input, response, endpoint]) => {
    return [
      { module, type: input, schema: endpoint.payload },
      { module, type: response, schema: endpoint.success }
    ].flatMap(({ module, schema, type }) =>
      schema === undefined || type === ""
        ? []
        : pathsOf(Schema.toEncoded(schema).ast)
            .filter((path) => path !== "checksum")
            .map((path) => ({ name: `${type}.${path}`, module, type, path }))
    )
  })
  .filter(
    ({ path, type }, n, all) =>
      !path.includes("?.") ||
      n ===
        all.findIndex(
          (each) => each.path === path && each.type.endsWith("Input") === type.endsWith("Input")
        )
  )

const methods = operations.map(({ name }) => {
  const [service = "", method = ""] = name.split(".")
  return { name, service, method }
})

const text = [
  ...fields.map(
    ({ module, path, type }, n) =>
      `declare const f${n}: import("@pawl/core/${module}").${type}\nf${n}?.${path}/*field ${n}*/`
  ),
  ...methods.map(
    ({ method, service }, n) =>
      `declare const m${n}: import("@pawl/http/${service}").${service}["Service"]\nm${n}.${method}/*method ${n}*/`
  ),
  `declare const payment: import("@pawl/core/ApmPayment").ApmPaymentResponse`,
  `payment.transactionStatus === ""/*status*/`,
  `payment.transactionid/*misspelt*/`
].join("\n")

const sections = readFileSync(join(LanguageServer.root, "docs/spec.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("#"))
  .map((line) => line.replace(/^#+ /u, "").replace(/ \(.*/u, ""))

let server: LanguageServer.LanguageServer
beforeAll(async () => {
  server = await LanguageServer.start(join(import.meta.dirname, "document.ts"), text)
})
afterAll(() => server.stop())

/** Leaves out the type. */
const docsAt = async (mark: string): Promise<string> => {
  const hover = await server.hover(text.indexOf(mark) - 1)
  return hover.replace(/^```[^]*?```/u, "").trim()
}

const cited = (docs: string): ReadonlyArray<string> =>
  Array.from(docs.replaceAll(/\s+/gu, " ").matchAll(/`spec\.md`((?:, "[^"]+")+)/gu)).flatMap(
    ([, list = ""]) => Array.from(list.matchAll(/"([^"]+)"/gu), ([, section = ""]) => section)
  )

const expectDocumented = (docs: string): void => {
  expect(docs).toMatch(/^[A-Z][^]*\.$/u)
  expect(cited(docs)).not.toEqual([])
  for (const section of cited(docs)) expect(sections).toContain(section)
}

it.each([
  ["field", fields],
  ["method", methods]
])("an editor shows a text with a section of the specification for each %s", async (what, all) => {
  for (const [n, { name }] of all.entries()) {
    const docs = await docsAt(`/*${what} ${n}*/`)
    expect({ name, docs: docs.length > 0 }).toEqual({ name, docs: true })
    expectDocumented(docs)
  }
})

it("an editor shows each field of every request and response, at any depth", () => {
  expect(fields.length).toBeGreaterThan(150)
})

it("an editor completes the nine statuses, and knows no misspelt field", async () => {
  expect(await server.completions(text.indexOf("/*status*/") - 1)).toEqual(
    expect.arrayContaining(["NEW", "PENDING", "CUSTOMER_VERIFICATION", "CHARGEBACK"])
  )
  expect(await server.hover(text.indexOf("/*misspelt*/") - 1)).not.toContain("unknown")
})
