/**
 * The contract of ambiguous statements (`docs/decisions/0011`): the client, the service under test
 * and `openapi.json` read each in the same way.
 */
import * as InputSchemas from "@pawl/core/internal/InputSchemas"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { assert } from "vitest"
import { authenticate, bodyFor, it, prepare, send } from "./contractService.ts"
import { operations, schemaOf } from "./openapiDocument.ts"

/**
 * A field with values, and who accepts them. `service` differs from the client only where the
 * specification names the work of the service.
 */
interface Row {
  readonly statement: string
  readonly path: keyof typeof inputs
  readonly values: ReadonlyArray<object>
  readonly accepted: boolean
  readonly service?: boolean
}

const inputs = {
  "/payments/apm": InputSchemas.apmPayment,
  "/payouts/apm": InputSchemas.apmPayout,
  "/payments/card": InputSchemas.cardPayment,
  "/payments/card/tokenize": InputSchemas.tokenize,
  "/payments/card/charge": InputSchemas.cardPayment,
  "/payouts/card": InputSchemas.cardPayout,
  "/refunds/card": InputSchemas.refund,
  "/payments/intent": InputSchemas.paymentIntent,
  "/payments/card/recurring": InputSchemas.subscription
}

const withMid = (Object.keys(inputs) as ReadonlyArray<keyof typeof inputs>).filter(
  (path) => !path.endsWith("/apm")
)

const card = (number: string) => ({ card: { number, expMonth: "12", expYear: "2035" } })

export const rows: ReadonlyArray<Row> = [
  {
    statement: "More than two decimals",
    path: "/payouts/card",
    values: [{ amount: "10.505" }, { amount: "0.0001" }],
    accepted: false,
    service: true
  },
  {
    statement: "Metadata of a payment intent",
    path: "/payments/intent",
    values: [{ metadata: { order: "7" } }, { metadata: {} }],
    accepted: true
  },
  {
    statement: "`lang`",
    path: "/payments/intent",
    values: [{ lang: "EN" }, { lang: "en-GB" }, { lang: "eng" }, { lang: "" }],
    accepted: false
  },
  {
    statement: "`lang`",
    path: "/payments/intent",
    values: [{ lang: "lv" }, { lang: "xx" }],
    accepted: true
  },
  ...(["/payments/apm", "/payouts/apm"] as const).flatMap((path): ReadonlyArray<Row> => [
    {
      statement: "`accountId`",
      path,
      values: [{ accountId: "7" }, { accountId: "0077" }, { accountId: "7".repeat(128) }],
      accepted: true
    },
    {
      statement: "`accountId`",
      path,
      values: ["", "acc-7", "7|7", "-7", "7.0", " 7", 77].map((accountId) => ({ accountId })),
      accepted: false
    }
  ]),
  {
    statement: "`mid`",
    path: "/payments/intent",
    values: [{ mid: "m é" }, { mid: "m".repeat(128) }],
    accepted: true
  },
  ...withMid.map((path) => ({
    statement: "`mid`",
    path,
    values: ["", "m|1", "m\n", "\u0085", "m".repeat(129), 7].map((mid) => ({ mid })),
    accepted: false
  })),
  {
    statement: "Card number",
    path: "/payouts/card",
    values: [card("42424242424"), card("4242 4242 4242 4242"), card("42424242424242424242")],
    accepted: false
  },
  {
    statement: "Amount of zero",
    path: "/payouts/card",
    values: [{ amount: "0" }, { amount: "0.00" }],
    accepted: true
  },
  {
    statement: "`order` and `device` of a payment intent",
    path: "/payments/intent",
    values: [{ order: {}, device: {} }],
    accepted: true
  },
  {
    statement: "`order` and `device` of a payment intent",
    path: "/payments/intent",
    values: [{ order: null }, { device: undefined }],
    accepted: false
  }
]

const isDocumented = (path: string, body: unknown): boolean => {
  const request = operations.find((each) => each.path === `/api/v1${path}`)?.request
  assert(request !== undefined)
  return Schema.is(schemaOf(request))(body)
}

export const ambiguous = [
  ...rows.map(({ accepted, path, service = accepted, statement, values }) =>
    it(`${statement}: ${JSON.stringify(values)} at ${path} is ${accepted ? "accepted" : "refused"}`, function* () {
      const resources = yield* prepare
      const token = yield* authenticate
      for (const value of values) {
        const fields = { requestId: crypto.randomUUID(), ...value }
        const sent = yield* bodyFor(path, fields, resources)
        // A field that is undefined is absent.
        const body: unknown = JSON.parse(JSON.stringify(sent))
        const input = yield* Effect.promise(async () => inputs[path]["~standard"].validate(body))
        const { status, body: text } = yield* send("POST", path, { token, body })
        const said = { client: input.issues === undefined, openapi: isDocumented(path, body) }
        const what = `${JSON.stringify(value)} ${text}`
        assert.deepStrictEqual(said, { client: accepted, openapi: accepted }, what)
        assert.strictEqual(status, service ? 200 : 400, what)
      }
    })
  ),
  it("`accountId`: the info of a payout has it as an integer", function* () {
    const token = yield* authenticate
    for (const [accountId, shown] of [
      ["0077", 77],
      ["000", 0],
      ["7".repeat(128), Number("7".repeat(128))]
    ] as const) {
      const body = yield* bodyFor("/payouts/apm", { accountId, requestId: crypto.randomUUID() })
      const created = yield* send("POST", "/payouts/apm", { token, body })
      const { transactionId } = created.json as { readonly transactionId: string }
      const { json } = yield* send("GET", `/payouts/apm/info/${transactionId}`, { token })
      assert.strictEqual((json as { readonly accountId?: unknown }).accountId, shown)
    }
  })
]
