/** Effect and Python's jsonschema read openapi.json, from which the requests are made. */
import { forAll } from "@pawl/test-support/Properties"
import { valuesOf } from "@pawl/test-support/Schemas"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import fc from "fast-check"
import { execFile, spawnSync } from "node:child_process"
import { assert, describe, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { file, operations, schemaOf, webhooks } from "./support/openapiDocument.ts"
import type { Body, Operation } from "./support/openapiDocument.ts"
import { control, runWith } from "./support/sandbox.ts"
import { checksum, credentials } from "@pawl/test-support/TestGateway"
import { call, receiver } from "./support/wire.ts"

type Fields = Readonly<Record<string, unknown>>

interface Exchange {
  readonly schema: string
  readonly body: unknown
}

const predicates = new Map<Body, (body: unknown) => boolean>()
const isAllowed = (body: Body, value: unknown): boolean => {
  const predicate = predicates.get(body) ?? Schema.is(schemaOf(body))
  predicates.set(body, predicate)
  return predicate(value)
}

const placeOf = ({ method, path }: Operation, rest: string): string =>
  ["/paths", path.replaceAll("/", "~1"), method.toLowerCase(), rest].join("/") +
  "/content/application~1json/schema"

/** An example with some random fields, and maybe a wrong one. */
const request = fc.oneof(
  ...operations.map((operation) => {
    const random = (
      operation.request === undefined ? fc.constant({}) : valuesOf(schemaOf(operation.request))
    ) as fc.Arbitrary<Fields>
    const names = Object.keys(operation.request?.example ?? {})
    return random.chain((random) =>
      fc.record({
        operation: fc.constant(operation),
        changed: fc
          .subarray(Object.keys(random))
          .map((kept) => Object.fromEntries(kept.map((name) => [name, random[name]]))),
        wrong:
          names.length === 0
            ? fc.constant({})
            : fc.oneof(
                { arbitrary: fc.constant({}), weight: 3 },
                fc
                  .tuple(fc.constantFrom(...names), fc.jsonValue())
                  .map(([name, value]) => ({ [name]: value }))
              ),
        isOld: fc.boolean()
      })
    )
  })
)

const merchant = (baseUrl: string, callbackUrl: string) => {
  const exchanges: Array<Exchange> = []
  const seen = new Set<string>()
  const known = { cardToken: "", payment: 0, token: "" }
  const ids: Array<{ readonly id: string; readonly path: string }> = []
  let count = 0

  const bodyOf = ({ request }: Operation, changed: Fields): Fields => {
    const example = request?.example as Fields
    const body: Record<string, unknown> = { ...example, callbackUrl }
    if ("requestId" in example) body["requestId"] = `r-${++count}`
    if ("cardToken" in example) body["cardToken"] = known.cardToken
    if ("transactionId" in example) body["transactionId"] = known.payment
    Object.assign(body, changed)
    if (!("callbackUrl" in example)) delete body["callbackUrl"]
    if ("checksum" in example && !("checksum" in changed)) {
      body["checksum"] = checksum(body as unknown as Parameters<typeof checksum>[0])
    }
    return body
  }

  const send = Effect.fnUntraced(function* (operation: Operation, changed: Fields = {}, id = "") {
    const body = operation.request === undefined ? undefined : bodyOf(operation, changed)
    const path = operation.path.replace(/\{.*\}/u, encodeURIComponent(id))
    const { json, status } = yield* call(operation.method, new URL(path, baseUrl).href, {
      body: operation.method === "DELETE" ? "" : body,
      token: operation.name === "authenticate" ? undefined : known.token
    })
    seen.add(`${operation.name} ${status}`)
    const isListed = Object.hasOwn(operation.responses, status)
    assert.isTrue(isListed, `${operation.name} answered ${status}`)
    const allowed = operation.responses[status]
    if (allowed !== undefined) {
      exchanges.push({ schema: placeOf(operation, `responses/${status}`), body: json })
      assert.isTrue(
        isAllowed(allowed, json),
        `${operation.name} ${status}: ${JSON.stringify(json)}`
      )
    } else assert.isUndefined(json)
    if (status === 200 && operation.request !== undefined) {
      exchanges.push({ schema: placeOf(operation, "requestBody"), body })
      assert.isTrue(
        isAllowed(operation.request, body),
        `${operation.name} took ${JSON.stringify(body)}`
      )
    }
    const answer = (typeof json === "object" ? json : {}) as Fields
    const made = answer["refundId"] ?? answer["subscriptionId"] ?? answer["transactionId"]
    if (operation.method === "POST" && typeof made === "string") ids.push({ id: made, path })
    return answer
  })

  /** The likeliest id is last. */
  const idsFor = ({ path }: Operation) =>
    ids
      .filter((made) => path.startsWith(made.path))
      .toSorted((one, two) => one.path.length - two.path.length)
      .map(({ id }) => id)

  return { exchanges, idsFor, known, seen, send }
}

const conversation = runWith(
  {},
  Effect.gen(function* () {
    const { baseUrl } = yield* Sandbox.Sandbox
    const { received, url } = yield* receiver(() => [200])
    const { exchanges, idsFor, known, seen, send } = merchant(baseUrl, `${url}/callback`)
    const runPromise = Effect.runPromiseWith(yield* Effect.context<Sandbox.Sandbox>())
    const named = (name: string) => operations.find((one) => one.name === name) as Operation

    known.token = String((yield* send(named("authenticate"), credentials))["accessToken"])
    known.cardToken = String((yield* send(named("tokenizeCard")))["cardToken"])
    known.payment = Number((yield* send(named("createCardPayment")))["transactionId"])
    yield* control("POST", "/clock", { advance: "1 minute" })
    // The last operation cancels the subscription.
    for (const operation of operations) yield* send(operation, {}, idsFor(operation).at(-1))
    const accepted = new Set(seen)
    for (const operation of operations) {
      const [name = ""] = Object.keys(operation.request?.example ?? {})
      yield* send(operation, { [name]: 1 }, "none")
    }
    yield* Effect.promise(() =>
      forAll([request, fc.nat()], { numRuns: 150 }, ({ changed, isOld, operation, wrong }, at) => {
        const ids = idsFor(operation)
        const id = isOld ? ids[at % ids.length] : `x${at}`
        return runPromise(Effect.asVoid(send(operation, { ...changed, ...wrong }, id)))
      })
    )
    yield* control("POST", "/clock", { advance: "1 day" })
    for (const { body, path } of received) {
      const { name, request } = webhooks.find(({ name }) =>
        path.includes(`paymentMethod=${name.replace("Callback", "")}`)
      ) as Operation
      assert.isTrue(isAllowed(request as Body, body), JSON.stringify(body))
      exchanges.push({
        schema: `/webhooks/${name}/post/requestBody/content/application~1json/schema`,
        body
      })
    }
    return { accepted, callbacks: received.length, exchanges, seen }
  })
)

it("the sandbox accepts every example of a request", async () => {
  const { accepted } = await conversation
  for (const { method, name } of operations) {
    assert.include([...accepted], `${name} ${method === "DELETE" ? 204 : 200}`)
  }
})

it("a random request gets only answers that the document allows, and it allows every callback", async () => {
  const { callbacks, seen } = await conversation
  assert.isAbove(callbacks, 30)
  for (const { name, path, request } of operations) {
    const refused = request === undefined || path.includes("{") ? [400, 404] : [400]
    assert.isTrue(
      refused.some((status) => seen.has(`${name} ${status}`)),
      name
    )
  }
})

const hasJsonschema = spawnSync("python3", ["-c", "import jsonschema"]).status === 0
if (!hasJsonschema) {
  console.warn("SKIPPED: bodies in the eyes of Python, because there is no python3-jsonschema")
}

const check = (exchanges: ReadonlyArray<Exchange>) =>
  new Promise<{ readonly code: number; readonly stdout: string }>((resolve) => {
    const script = new URL("support/checkBodies.py", import.meta.url).pathname
    const { stdin } = execFile("python3", [script, file], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout: stdout + stderr })
    )
    stdin?.end(exchanges.map((exchange) => JSON.stringify(exchange)).join("\n"))
  })

describe.runIf(hasJsonschema)("Python's jsonschema", () => {
  it("compiles every pattern, and allows every example and every recorded body", async () => {
    const { exchanges } = await conversation
    const { code, stdout } = await check(exchanges)
    assert.include(stdout, ` ${exchanges.length} bodies, 0 wrong`)
    assert.strictEqual(code, 0)
  })

  it("finds a wrong body", async () => {
    const { exchanges } = await conversation
    const { code, stdout } = await check([{ schema: exchanges[0]?.schema ?? "", body: [] }])
    assert.include(stdout, "1 wrong")
    assert.strictEqual(code, 1)
  })
})
