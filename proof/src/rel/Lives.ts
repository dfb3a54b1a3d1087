/**
 * Transactions of a ledger that have ended, and a late chargeback for one.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import type { Status } from "@pawl/core/Status"
import { Ledger } from "@pawl/webhook/Ledger"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as FakeService from "./FakeService.ts"

const day = 86_400_000

/** Layer that verifies the callbacks of the fake service. */
export const verifier = Verifier.layer({ current: Redacted.make(FakeService.secret) }).pipe(
  Layer.provide(NodeHmac.layer)
)

/** Makes a callback as a receiver stores it. */
export const verified = Effect.fnUntraced(function* (id: string, status: Status) {
  const { verify } = yield* Verifier.Verifier
  return yield* Effect.fromResult(verify(FakeService.incoming(FakeService.callback(id, status))))
})

/** Leads one transaction through the ledger until its end at a time. */
export const live = Effect.fnUntraced(function* (id: string, at: number) {
  const ledger = yield* Ledger
  const order = { requestId: `order-${id}`, account: "4711", amount: "10.00", currency: "EUR" }
  yield* ledger.register({ kind: "apm-payment", transactionId: id, status: "NEW", ...order }, at)
  for (const [step, to] of (["PENDING", "SUCCEED"] as const).entries()) {
    const now = at + (step + 1) * 1000
    yield* ledger.accept(yield* verified(id, to), now)
    const { rows } = yield* ledger.claim({ at: now, until: now + 1000, limit: 9 })
    for (const leased of rows) {
      const sequence = step + 1
      const evidence = Evidence.confirmed(to)
      const read = { status: to, askedAt: now } as const
      const asked = { fact: "asked", result: to, kind: "apm-payment", at: now } as const
      yield* ledger.write(leased, { evidence, read, askedAt: now, polls: 1, fact: asked })
      const called = { fact: "called", sequence, to, evidence, read: to, at: now } as const
      yield* ledger.write(leased, { pendingStatus: to, attempt: 1, fact: called })
      const told = { fact: "told", sequence, to, at: now } as const
      const released = { dueAt: step === 0 ? undefined : now + day }
      const change = { told: to, pendingStatus: undefined, attempt: 0, sequence, fact: told }
      yield* ledger.write(leased, { ...change, release: released })
    }
  }
})

/** Sends the chargeback of a transaction to a receiver, and returns the milliseconds until its handler is told. */
export const tellChargeback = (id: string) =>
  Effect.gen(function* () {
    const told: Array<number> = []
    const startedAt = performance.now()
    const handler = Handler.layer(({ to, transactionId }) =>
      Effect.sync(() => {
        if (to === "CHARGEBACK" && transactionId === id) told.push(performance.now() - startedAt)
      })
    )
    const reader = Layer.succeed(StatusReader, {
      read: (_, transactionId) =>
        Effect.succeed({
          kind: "apm-payment" as const,
          status: transactionId === id ? ("CHARGEBACK" as const) : ("SUCCEED" as const)
        })
    })
    const ledger = yield* Ledger
    const receiver = Receiver.layer().pipe(
      Layer.provide([handler, reader, verifier, Layer.succeed(Ledger, ledger)])
    )
    yield* Effect.gen(function* () {
      const { receive } = yield* Receiver.Receiver
      yield* receive(FakeService.incoming(FakeService.callback(id, "CHARGEBACK")))
      while (told.length === 0) yield* Effect.sleep("20 millis")
    }).pipe(Effect.provide(receiver), Effect.timeoutOption("60 seconds"))
    return told[0] === undefined ? undefined : Math.round(told[0])
  })
