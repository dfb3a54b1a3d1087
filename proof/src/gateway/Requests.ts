/**
 * The laws of how the service takes requests: who may ask, for what, and how often it is done.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as fc from "fast-check"
import { expect } from "../../../packages/testkit/src/internal/laws/Expect.ts"
import { byCard, field, type GatewayLaw, law, payment } from "./GatewayLaw.ts"

const canary = "k4n4ry"

/** Each makes one field of a payment wrong, with a value that must not come back. */
const wrongs: ReadonlyArray<readonly [field: string, value: unknown]> = [
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

/** What a body that is no sound JSON looks like. */
const malformed: ReadonlyArray<(good: string) => string> = [
  () => "",
  () => "{",
  () => "[]",
  () => "null",
  (good) => `${good.slice(0, -1)},"amount":"10.50"}`,
  (good) => `${good.slice(0, -1)},"\\u0061mount":"10.50"}`,
  () => `${"[".repeat(65)}${"]".repeat(65)}`
]

/**
 * What any request meets.
 *
 * @category laws
 * @since 0.1.0
 */
export const requests: ReadonlyArray<GatewayLaw> = [
  law(
    {
      name: "a token is bought with the key and the secret, and is good for 30 days",
      section: 'spec.md, "Authentication"',
      explanation: "After that it is 401 until another is bought; with other credentials none is."
    },
    [
      [{ merchantKey: "sandbox-kez" }],
      [{ merchantSecret: "sandbox-secres" }],
      [{ days: 29.9 }],
      [{ days: 30.1 }]
    ],
    function* ({ authenticate, get, pass }, [{ days, ...wrong } = {}]) {
      if (days === undefined) {
        expect(yield* authenticate(wrong)).toBe(401)
      } else {
        yield* pass(Duration.days(days))
        expect((yield* get("/payments/apm/status/7")).status).toBe(days < 30 ? 404 : 401)
      }
    }
  ),

  law(
    {
      name: "the first check that fails answers: 401, then 400, which names the fields, then 404",
      section: "docs/decisions/0030",
      explanation:
        "Whoever has no token learns nothing of what is there. A 400 names every field that is wrong, the checksum only when nothing else is, and repeats no value."
    },
    fc.tuple(
      fc.record({
        token: fc.constantFrom("good", "none", "bad"),
        wrong: fc.subarray([...wrongs]),
        checksum: fc.constantFrom("good", "bad"),
        id: fc.constantFrom("there", "nowhere", "odd")
      })
    ),
    function* (asking, [given]) {
      if (given === undefined) return
      const { get, post, token } = asking
      const there = field(yield* post("/payments/apm", payment(asking)), "transactionId")
      const used = { good: token, none: "", bad: `${token}x` }[given.token] ?? ""
      const over = {
        ...(given.checksum === "bad" && { checksum: canary }),
        ...Object.fromEntries(given.wrong)
      }
      const created = yield* post(
        "/payments/apm",
        payment(asking, { requestId: "r-2" }, over),
        used
      )
      const id = { there, nowhere: "999999", odd: `${canary}.` }[given.id] ?? ""
      const read = yield* get(`/payments/apm/status/${id}`, used)
      expect(`${created.text}${read.text}`.includes(canary)).toBe(false)
      if (given.token !== "good") {
        expect([created.status, read.status]).toEqual([401, 401])
      } else {
        const names = [...new Set(given.wrong.map(([name]) => name))]
        const expected = names.length > 0 ? names : given.checksum === "bad" ? ["checksum"] : []
        expect(created.status).toBe(expected.length > 0 ? 400 : 200)
        expect(fieldsOf(created.json)).toEqual(expected.toSorted())
        expect(read.status).toBe({ there: 200, nowhere: 404, odd: 400 }[given.id])
      }
    }
  ),

  law(
    {
      name: "a payment needs the checksum of its fields as sent, in lower-case hex",
      section: 'spec.md, "Request checksum"',
      explanation:
        "HMAC-SHA256 over accountId, requestId, amount and currency joined by |, keyed with the secret: whoever changes one of them on the way is found."
    },
    fc.tuple(
      fc.record({
        amount: fc.nat().map((cents) => (cents / 100).toFixed(2)),
        accountId: fc.nat().map(String),
        changed: fc.constantFrom("nothing", "amount", "accountId", "requestId", "currency", "case")
      })
    ),
    function* (asking, [given]) {
      if (given === undefined) return
      const { changed, ...signed } = given
      const body = payment(asking, signed)
      const changes: Readonly<Record<string, object>> = {
        amount: { amount: `${signed.amount}1` },
        accountId: { accountId: `${signed.accountId}1` },
        requestId: { requestId: "r-11" },
        currency: { currency: "USD" },
        case: { checksum: body.checksum.toUpperCase() }
      }
      const answer = yield* asking.post("/payments/apm", { ...body, ...changes[changed] })
      expect(answer.status).toBe(changed === "nothing" ? 200 : 400)
      expect(fieldsOf(answer.json)).toEqual(changed === "nothing" ? [] : ["checksum"])
    }
  ),

  law(
    {
      name: "a body that can be read in two ways, or in none, is 400",
      section: "docs/decisions/0034",
      explanation:
        "Of two equal keys readers take either one, so what was signed and what is done would differ."
    },
    malformed.map((bad) => [bad(JSON.stringify(byCard({ amount: "10.00" })))]),
    function* ({ post }, [body = ""]) {
      expect((yield* post("/payouts/card", body)).status).toBe(400)
    }
  ),

  law(
    {
      name: "a requestId is carried out once, and answered with the same bytes, however many ask and whatever else they say (X04)",
      section: 'spec.md, "Conventions"',
      explanation:
        "When a request is retried with the same requestId, the original response is returned and nothing is processed twice: at the same instant, and long after."
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
    function* ({ pass, post }, groups) {
      const texts = new Set<string>()
      for (const { amount, hours, operations, together } of groups) {
        const answers = yield* Effect.forEach(
          Array.from({ length: together }),
          () => post("/payouts/card", byCard({ amount })),
          { concurrency: "unbounded" }
        ).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations))
        for (const { status, text } of answers) texts.add(`${status} ${text}`)
        yield* pass(Duration.hours(hours))
      }
      expect([...texts].map((text) => text.slice(0, 3))).toEqual(["200"])
    }
  )
]

/** The names of the fields a 400 complains of, in order and without their members. */
const fieldsOf = (json: unknown): ReadonlyArray<string> => {
  const { errors = [] } = json as {
    readonly errors?: ReadonlyArray<{ readonly field: string }>
  }
  return [...new Set(errors.map(({ field }) => field.split(".")[0] ?? ""))].toSorted()
}
