/**
 * The laws of requests: authentication, validation, and repeats of a requestId.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import { deepStrictEqual, strictEqual } from "node:assert/strict"
import { apmBody, cardBody, field, type GatewayLaw, law } from "./GatewayLaw.ts"

const canary = "k4n4ry"

/** Wrong values for fields of a payment; no response may repeat the canary. */
const wrongFields: ReadonlyArray<readonly [field: string, value: unknown]> = [
  ["requestId", 7],
  ["requestId", `${canary}|`],
  ["accountId", `${canary}|`],
  ["apmPayload", [canary]],
  ["callbackUrl", `ftp://${canary}`],
  ["successRedirectUrl", `javascript:${canary}`],
  ["amount", `1e${canary}`],
  ["amount", "-1"],
  ["amount", "01"],
  ["currency", canary],
  ["metadata", canary],
  ["order", { title: [canary] }],
  ["billingDetails", { ssn: { canary } }],
  ["device", { javaEnabled: canary }]
]

const malformed: ReadonlyArray<(valid: string) => string> = [
  () => "",
  () => "{",
  () => "[]",
  () => "null",
  (valid) => `${valid.slice(0, -1)},"amount":"10.50"}`,
  (valid) => `${valid.slice(0, -1)},"\\u0061mount":"10.50"}`,
  () => `${"[".repeat(65)}${"]".repeat(65)}`
]

export const requestLaws: ReadonlyArray<GatewayLaw> = [
  law(
    {
      name: "an access token needs the key and the secret, and is valid for 30 days",
      section: 'spec.md, "Authentication"',
      explanation:
        "After that, requests with it are 401. Other credentials get 401 and no access token."
    },
    [
      [{ merchantKey: "sandbox-kez" }],
      [{ merchantSecret: "sandbox-secres" }],
      [{ days: 29.9 }],
      [{ days: 30.1 }]
    ],
    function* ({ authenticate, get, pass }, [{ days, ...wrong } = {}]) {
      if (days === undefined) {
        strictEqual(yield* authenticate(wrong), 401)
      } else {
        yield* pass(Duration.days(days))
        strictEqual((yield* get("/payments/apm/status/7")).status, days < 30 ? 404 : 401)
      }
    }
  ),

  law(
    {
      name: "the checks come in order: 401, then 400 with the names of the fields, then 404",
      section: "docs/decisions/0029",
      explanation:
        "A caller without an access token learns nothing about transactions. A 400 names every wrong field, names the checksum only when no other field is wrong, and repeats no value."
    },
    fc.tuple(
      fc.record({
        token: fc.constantFrom("good", "none", "bad"),
        wrong: fc.subarray([...wrongFields]),
        checksum: fc.constantFrom("good", "bad"),
        id: fc.constantFrom("existing", "unknown", "malformed")
      })
    ),
    function* (client, [request]) {
      if (request === undefined) return
      const { get, post, token } = client
      const existing = field(yield* post("/payments/apm", apmBody()), "transactionId")
      const usedToken = { good: token, none: "", bad: `${token}x` }[request.token] ?? ""
      const over = {
        ...(request.checksum === "bad" && { checksum: canary }),
        ...Object.fromEntries(request.wrong)
      }
      const created = yield* post("/payments/apm", apmBody({ requestId: "r-2" }, over), usedToken)
      const id = { existing, unknown: "999999", malformed: `${canary}%0a` }[request.id] ?? ""
      const read = yield* get(`/payments/apm/status/${id}`, usedToken)
      strictEqual(`${created.body}${read.body}`.includes(canary), false)
      if (request.token !== "good") {
        deepStrictEqual([created.status, read.status], [401, 401])
      } else {
        const names = [...new Set(request.wrong.map(([name]) => name))]
        const expected = names.length > 0 ? names : request.checksum === "bad" ? ["checksum"] : []
        strictEqual(created.status, expected.length > 0 ? 400 : 200)
        deepStrictEqual(fieldsOf(created.json), expected.toSorted())
        strictEqual(read.status, { existing: 200, unknown: 404, malformed: 400 }[request.id])
      }
    }
  ),

  law(
    {
      name: "a payment needs the checksum of its fields as sent, in lower-case hex",
      section: 'spec.md, "Request checksum"',
      explanation:
        "HMAC-SHA256 over accountId, requestId, amount and currency joined by |, keyed with the secret. A change of one of them in transit is detected."
    },
    fc.tuple(
      fc.record({
        amount: fc.nat().map((cents) => (cents / 100).toFixed(2)),
        accountId: fc.nat().map(String),
        changed: fc.constantFrom("nothing", "amount", "accountId", "requestId", "currency", "case")
      })
    ),
    function* (client, [request]) {
      if (request === undefined) return
      const { changed, ...signed } = request
      const body = apmBody(signed)
      const changes: Readonly<Record<string, object>> = {
        amount: { amount: `${signed.amount}1` },
        accountId: { accountId: `${signed.accountId}1` },
        requestId: { requestId: "r-11" },
        currency: { currency: "USD" },
        case: { checksum: body.checksum.toUpperCase() }
      }
      const response = yield* client.post("/payments/apm", { ...body, ...changes[changed] })
      strictEqual(response.status, changed === "nothing" ? 200 : 400)
      deepStrictEqual(fieldsOf(response.json), changed === "nothing" ? [] : ["checksum"])
    }
  ),

  law(
    {
      name: "a body that is not JSON, or has a repeated key, is 400",
      section: "docs/decisions/0010",
      explanation:
        "JSON parsers differ on which of two equal keys counts, so the signed value and the used value could differ."
    },
    malformed.map((make) => [make(JSON.stringify(cardBody({ amount: "10.00" })))]),
    function* ({ post }, [body = ""]) {
      strictEqual((yield* post("/payouts/card", body)).status, 400)
    }
  ),

  law(
    {
      name: "a requestId is processed once, and every repeat gets the same bytes (X04)",
      section: 'spec.md, "Conventions"',
      explanation:
        "A request with a known requestId returns the original response and is not processed again: at the same instant, hours later, and with other fields."
    },
    fc.array(
      fc.record({
        together: fc.constantFrom(1, 2, 100),
        operations: fc.integer({ min: 3, max: 50 }),
        hours: fc.nat(3),
        amount: fc.constantFrom("10.50", "99.00")
      }),
      { minLength: 1, maxLength: 2 }
    ),
    function* (client, groups) {
      const { pass, post } = client
      const paid = cardBody({ requestId: "r-0", amount: "99.00", currency: "EUR" })
      const transactionId = Number(field(yield* post("/payments/card", paid), "transactionId"))
      yield* pass(Duration.hours(10))
      const refund = { requestId: "r-1", mid: "m-1", transactionId, reason: "duplicate" }
      const creates = {
        "/payouts/card": (amount: string) => cardBody({ amount }),
        "/payments/apm": (amount: string) => apmBody({ amount }),
        "/refunds/card": (amount: string) => ({ ...refund, amount })
      }
      for (const [path, bodyOf] of Object.entries(creates)) {
        const texts = new Set<string>()
        for (const { amount, hours, operations, together } of groups) {
          const responses = yield* Effect.forEach(
            Array.from({ length: together }),
            () => post(path, bodyOf(amount)),
            { concurrency: "unbounded" }
          ).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations))
          for (const { body, status } of responses) texts.add(`${status} ${body}`)
          yield* pass(Duration.hours(hours))
        }
        deepStrictEqual(
          [...texts].map((text) => text.slice(0, 3)),
          ["200"]
        )
      }
    }
  )
]

const fieldsOf = (json: unknown): ReadonlyArray<string> => {
  const { errors = [] } = json as {
    readonly errors?: ReadonlyArray<{ readonly field: string }>
  }
  return [...new Set(errors.map(({ field }) => field.split(".")[0] ?? ""))].toSorted()
}
