import { forAll } from "@pawl/test-support/Properties"
import { subscriptionStatuses } from "@pawl/core/Subscription"
import type * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Subscriptions } from "../src/Subscriptions.ts"
import * as Memory from "./support/memory.ts"
import { repeats } from "@pawl/test-support/Repeats"

const subscription = {
  subscriptionId: "700",
  status: "ACTIVE",
  nextChargeDate: "2030-02-01",
  createdAt: "2030-01-01T00:00:00Z",
  plan: { amount: "9.99", currency: "EUR", frequency: "MONTHLY", interval: 1 }
}

const run = <A, E>(
  service: Memory.Service,
  call: (subscriptions: Subscriptions["Service"]) => Effect.Effect<A, E>
) => Memory.run(service, Subscriptions.use(call))

const lively = (faults: ReadonlyArray<Memory.Fault | undefined>) => {
  const seen = { effects: 0, exists: true }
  const service = new Memory.Service({
    faults,
    act: ({ body, method }) => {
      if (!seen.exists) return Memory.respond(404, "")
      seen.effects++
      if (method !== "DELETE")
        return Memory.respond(200, { ...subscription, ...JSON.parse(body ?? "") })
      seen.exists = false
      return Memory.respond(204, "")
    }
  })
  return { seen, service }
}

const storm = fc.array(fc.option(fc.constantFrom(...Memory.faults), { nil: undefined }), {
  maxLength: 8
})

/** Faults after which a request may have taken effect. */
const ambiguous: ReadonlySet<Memory.Fault | undefined> = new Set<Memory.Fault>([
  "reset before",
  "reset after",
  "silent before",
  "silent after",
  "500 before",
  "503 after"
])

const isOpen = (error: object): boolean =>
  "_tag" in error &&
  (error._tag === "ServiceFailed" ||
    error._tag === "UnexpectedResponse" ||
    (error._tag === "Unreachable" && "sent" in error && error.sent === true))

describe("a change", () => {
  it("sets every status that the specification lists, alone or with the plan", async () => {
    const plan = { amount: "12.00" }
    for (const status of subscriptionStatuses) {
      const service = new Memory.Service({
        act: () => Memory.respond(200, { ...subscription, status })
      })
      const changed = await run(service, ({ setStatus }) => setStatus("700", status))
      expect(Result.getOrThrow(changed).status).toBe(status)
      await run(service, ({ update }) => update("700", { plan, status }))
      const bodies = service.requests.map(({ body = "" }) => JSON.parse(body))
      expect(bodies).toEqual([{ status }, { plan, status }])
    }
  })

  it("fails if the service answers with another status, where its effect is documented", async () => {
    const wanted = ["ACTIVE", "PAUSED", "CANCELED"]
    for (const status of subscriptionStatuses) {
      const lower = subscriptionStatuses.map((each) => each.toLowerCase())
      for (const answered of [...subscriptionStatuses, ...lower, "RESUMING"]) {
        const service = Memory.answering(Memory.answer(200, { ...subscription, status: answered }))
        const isOther =
          wanted.includes(status) && status !== answered.toUpperCase() && answered !== "RESUMING"
        for (const result of [
          await run(service, ({ setStatus }) => setStatus("700", status)),
          await run(service, ({ update }) => update("700", { plan: { interval: 2 }, status }))
        ]) {
          const { _tag } = Result.merge(result) as { readonly _tag?: string }
          expect(_tag).toBe(isOther ? "UnexpectedResponse" : undefined)
        }
      }
    }
  })

  it.each([
    {},
    { status: undefined },
    { plan: undefined },
    { plan: {} },
    { plan: { amount: undefined } }
  ])("is refused if it changes nothing, which would succeed: %j", async (changes) => {
    const service = new Memory.Service()
    const call = run(service, ({ update }) => update("700", changes as object))
    expect(await call).toMatchObject({ failure: Memory.refusalOf("") })
    expect(service.requests.length).toBe(0)
  })

  it("to a status that is none of the five is refused before sending", async () => {
    const service = new Memory.Service()
    for (const text of ["CANCELLED", "canceled", ""]) {
      const status = text as "CANCELED"
      for (const call of [
        run(service, ({ setStatus }) => setStatus("700", status)),
        run(service, ({ update }) => update("700", { status }))
      ]) {
        expect(await call).toMatchObject({ failure: Memory.refusalOf("status") })
      }
    }
    expect(service.requests.length).toBe(0)
  })

  it("C22 takes effect at most once, is sent again only after a refusal, and its error allows that it took effect", () =>
    forAll(
      [storm, fc.constantFrom("update" as const, "pause" as const, "resume" as const)],
      { numRuns: repeats(150) },
      async (faults, name) => {
        const { seen, service } = lively(faults)
        const result = await run(service, (subscriptions) =>
          name === "update"
            ? subscriptions.update("700", { plan: { amount: "12.00" } })
            : subscriptions[name]("700")
        )
        // A request that surely had no effect is sent again.
        for (const fault of faults.slice(0, service.requests.length - 1))
          expect(["401", "429", "refused"]).toContain(fault)
        expect(seen.effects).toBeLessThanOrEqual(1)
        const last = faults[service.requests.length - 1]
        expect(Result.isSuccess(result)).toBe(last === undefined)
        if (Result.isFailure(result) && !isOpen(result.failure)) expect(seen.effects).toBe(0)
      }
    ))
})

describe("a cancel", () => {
  it.each([
    { subscriptionId: "700", status: "ACTIVE" },
    { status: "paused" },
    '"ACTIVE"',
    { errorCode: "42" },
    { errorCode: 42, message: "try again later" }
  ])("does not succeed with %j", async (body) => {
    const service = Memory.answering(Memory.answer(200, body))
    expect(await run(service, ({ cancel }) => cancel("700"))).toMatchObject({
      failure: { _tag: "UnexpectedResponse", status: 200 }
    })
  })

  it.each([
    "null",
    "{}",
    { ...subscription, status: "CANCELED" },
    { status: "canceled" },
    { status: "OK" },
    '"CANCELED"',
    { status: 204, errorCode: null },
    { errorCode: 0 },
    { errorCode: "" },
    { errorCode: "OK" }
  ])("succeeds with %j", async (body) => {
    const service = Memory.answering(Memory.answer(200, body))
    expect(Result.isSuccess(await run(service, ({ cancel }) => cancel("700")))).toBe(true)
  })

  it("C22 is retried only after an ambiguous failure, and succeeds when the first attempt took effect", () =>
    forAll([storm], { numRuns: repeats(150) }, async (faults) => {
      const { seen, service } = lively(faults)
      const result = await run(service, ({ cancel }) => cancel("700"))
      const before = service.requests.slice(1).map((_, index) => faults[index])
      for (const fault of before)
        expect(ambiguous.has(fault) || ["401", "429", "refused"].includes(fault ?? "")).toBe(true)
      expect(seen.effects).toBeLessThanOrEqual(1)
      const last = faults[service.requests.length - 1]
      expect(Result.isSuccess(result)).toBe(last === undefined || last === "truncated after")
      if (Result.isSuccess(result)) expect(seen.effects).toBe(1)
      else expect(isOpen(result.failure)).toBe(before.concat(last).some((f) => ambiguous.has(f)))
    }))
})
