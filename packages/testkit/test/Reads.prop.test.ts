import * as fc from "fast-check"
import { assert, it } from "vitest"
import { authenticate, fields, run, send } from "@pawl/test-support/TestGateway"
import { body, creates, prepare } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"

const canary = "k4n4ry"

const reads: ReadonlyArray<readonly [method: string, path: string, create: string]> = [
  ["GET", "/payments/apm/status", "/payments/apm"],
  ["GET", "/payouts/apm/info", "/payouts/apm"],
  ["GET", "/payouts/apm/status", "/payouts/apm"],
  ["GET", "/payments/card/status", "/payments/card"],
  ["GET", "/payouts/card/info", "/payouts/card"],
  ["GET", "/payouts/card/status", "/payouts/card"],
  ["GET", "/refunds/card/info", "/refunds/card"],
  ["GET", "/refunds/card/status", "/refunds/card"],
  ["GET", "/payments/card/recurring", "/payments/card/recurring"],
  ["PUT", "/payments/card/recurring", "/payments/card/recurring"],
  ["DELETE", "/payments/card/recurring", "/payments/card/recurring"]
]

const makers = [...new Set(reads.map(([, , create]) => create))]

it("a read checks the token, then the id, then whether the resource of that kind exists", () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...reads),
      fc.constantFrom("good", "none", "bad"),
      fc.constantFrom(...makers, "nothing", "impossible"),
      ([method, path, create], tokens, whose) =>
        run(function* () {
          const resources = yield* prepare
          const good = yield* authenticate
          const token = { good, none: undefined, bad: `${good}x` }[tokens]
          const ids: Record<string, string> = { nothing: canary, impossible: `${canary}%0a` }
          for (const maker of makers) {
            const { json } = yield* send("POST", maker, {
              token: good,
              body: body(maker, resources)
            })
            const made = json as Readonly<Record<string, string>>
            assert.isDefined(creates[maker])
            ids[maker] = made["refundId"] ?? made["subscriptionId"] ?? made["transactionId"] ?? ""
          }
          const answer = yield* send(method, `${path}/${ids[whose]}`, {
            token,
            ...(method === "PUT" ? { body: {} } : {})
          })
          assert.notInclude(answer.body, canary)
          if (tokens !== "good") assert.strictEqual(answer.status, 401)
          else if (whose === "impossible") {
            assert.strictEqual(answer.status, 400)
            const name = path.endsWith("recurring") ? "subscriptionId" : "id"
            assert.deepStrictEqual(fields(answer.json), [name])
          } else if (whose !== create) assert.strictEqual(answer.status, 404)
          else assert.strictEqual(answer.status, method === "DELETE" ? 204 : 200)
        })
    ),
    { numRuns: repeats(300) }
  ))
