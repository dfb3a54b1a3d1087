import * as Effect from "effect/Effect"
import * as Scheduler from "effect/Scheduler"
import * as TestClock from "effect/testing/TestClock"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as Gateway from "../src/Gateway.ts"
import { authenticate, run, send } from "@pawl/test-support/TestGateway"
import { ask, body, card, scenario } from "@pawl/test-support/Creates"
import { repeats } from "@pawl/test-support/Repeats"

const cents = (amount: string): number => Math.round(Number(amount) * 100)

const isOpen = (statuses: ReadonlyArray<string>, story: string): boolean =>
  !(statuses.includes("CANCELLED") || story.startsWith("decline"))

const refundRequest = fc.record({
  payment: fc.nat(1),
  amount: fc.integer({ min: 1, max: 6000 }).map((cents) => (cents / 100).toFixed(2)),
  story: fc.constantFrom(
    "succeed",
    "succeed",
    "decline:51",
    "cancel",
    "conflict",
    "stuck",
    "refund"
  ),
  wait: fc.nat(900),
  together: fc.boolean()
})

it("refunds never exceed the captured amount, in any order, and no smaller refund is refused", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(refundRequest, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 3, max: 50 }),
      (requests, operations) =>
        run(function* () {
          const gateway = yield* Gateway.Gateway
          const token = yield* authenticate
          const payments = ["100001", "100002"]
          for (const requestId of payments) {
            yield* ask("POST", "/payments/card", {
              requestId,
              mid: "m-1",
              amount: "100",
              currency: "EUR",
              card
            })
          }
          yield* TestClock.adjust("1 minute")

          const create = ({ amount, payment, story }: (typeof requests)[number], at: number) =>
            send("POST", "/refunds/card", {
              token,
              body: body(
                "/refunds/card",
                { cardToken: "", paymentId: Number(payments[payment]) },
                { requestId: String(at), amount, ...scenario(story) }
              )
            })

          const taken = Effect.fnUntraced(function* (paymentId: string) {
            const refunds = (yield* gateway.transactions).filter(
              (transaction) => transaction.paymentId === paymentId
            )
            const succeeded = refunds.filter(({ history }) =>
              history.some(({ status }) => status === "SUCCEED")
            )
            const counted = refunds.filter(({ history, metadata }) =>
              isOpen(
                history.map(({ status }) => status),
                metadata?.["sandbox.scenario"] ?? ""
              )
            )
            const sum = (of: typeof refunds) =>
              of.reduce((total, { amount }) => total + cents(amount), 0)
            return { counted: sum(counted), succeeded: sum(succeeded) }
          })

          for (let at = 0; at < requests.length;) {
            // Several concurrent requests, or a single one.
            const end = requests.findIndex(({ together }, index) => index >= at && !together)
            const group = requests.slice(at, end === -1 ? undefined : end + 1)
            if (group.length === 1) {
              const [one] = group
              assert.isDefined(one)
              const { counted } = yield* taken(payments[one.payment] ?? "")
              const { status } = yield* create(one, at)
              const fits = counted + cents(one.amount) <= 10_000
              assert.strictEqual(status, fits ? 200 : 400)
            } else {
              yield* Effect.forEach(group, (one, index) => create(one, at + index), {
                concurrency: "unbounded"
              }).pipe(Effect.provideService(Scheduler.MaxOpsBeforeYield, operations))
            }
            at += group.length
            for (let passed = 0; passed < (group[0]?.wait ?? 0); passed += 100) {
              for (const paymentId of payments) {
                const { counted, succeeded } = yield* taken(paymentId)
                assert.isAtMost(counted, 10_000)
                assert.isAtMost(succeeded, 10_000)
              }
              yield* TestClock.adjust(100)
            }
          }
          yield* TestClock.adjust("1 minute")
          for (const paymentId of payments) {
            const { succeeded } = yield* taken(paymentId)
            assert.isAtMost(succeeded, 10_000)
            const payment = yield* gateway.transaction(paymentId)
            assert.strictEqual(payment?.status, succeeded > 0 ? "REFUNDED" : "SUCCEED")
          }
        })
    ),
    { numRuns: repeats(150) }
  ))
