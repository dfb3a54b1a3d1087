/** Gateways with known readings judge the doctor. */
import { forAll } from "@pawl/test-support/Properties"
import * as Transport from "@pawl/http/Transport"
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Schema from "effect/Schema"
import { assert, describe, expect, it } from "vitest"
import * as Doctor from "../src/Doctor.ts"
import * as Fake from "@pawl/testkit/Fake"
import * as Gateway from "@pawl/testkit/Gateway"
import * as Readings from "@pawl/sandbox/Readings"
import * as Edits from "../src/internal/readings/Edits.ts"
import { beside, blank, probe as probed, run, settings } from "./support/probed.ts"
import { repeats } from "@pawl/test-support/Repeats"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Doctor.Recording))

const numRuns = repeats(20, 5)

const probe = (readings: Readings.Readings) => probed(Readings.behaviour(readings))

/** The findings that are no defaults. */
const named = (recording: Doctor.Recording): Readings.Readings =>
  Object.fromEntries(
    Doctor.findings(recording).flatMap(({ question, reading, verdict }) =>
      verdict === "agrees" ? [] : [[question, reading]]
    )
  )

it("every silence has a question or a reason, and at least 20 have a question", () => {
  const probed = new Set(Doctor.findings(blank).map(({ silence }) => silence))
  const others = Doctor.unprobedSilences.map(({ silence }) => silence)
  for (let silence = 1; silence <= 27; silence++) {
    assert.notStrictEqual(probed.has(silence), others.includes(silence), String(silence))
  }
  assert.isAtLeast(probed.size - 1, 20)
})

it("an empty recording shows nothing, and is not sound", () => {
  const findings = Doctor.findings(blank)
  for (const { verdict } of findings) assert.strictEqual(verdict, "unseen")
  assert.isFalse(Doctor.isSound(findings))
})

it.each<[string, string]>([
  ["Z", "ISO 8601 in UTC"],
  ["+00", "ISO 8601 in UTC"],
  ["+0000", "ISO 8601 in UTC"],
  ["+02", "ISO 8601 with an offset"],
  ["+0200", "ISO 8601 with an offset"],
  ["-03:00", "ISO 8601 with an offset"]
])("a time that ends with %s is %s", (offset, reading) => {
  const exchange: Doctor.Recording["exchanges"][number] = {
    name: "subscription",
    method: "POST",
    path: "/v1/payments/card/recurring",
    sent: '{"plan":{"startDate":"2026-11-01T00:00:00Z"}}',
    at: 0,
    took: 1,
    status: 200,
    headers: {},
    body: `{"nextChargeDate":"2026-11-22T00:30:00${offset}"}`
  }
  const readings = Doctor.findings({ ...blank, exchanges: [exchange] }).map(
    ({ reading }) => reading
  )
  expect(readings).toContain(reading)
  expect(readings).toContain("every interval units")
})

it("a subscription that could not be cancelled is a problem, because it charges its card again", async () => {
  const problems = async (refused: number) => {
    let deletes = 0
    const recording = await probed({
      ...Readings.behaviour({}),
      refusal: ({ method }) =>
        method === "DELETE" && ++deletes >= refused
          ? { status: 500, headers: {}, body: "" }
          : undefined
    })
    return Doctor.reads(recording, {}).flatMap(({ problem, subject }) =>
      problem === undefined ? [] : [`${subject}: ${problem}`]
    )
  }
  const line = (name: string) =>
    expect.stringMatching(
      new RegExp(`^end of ${name}: \\d{6} may still charge its card, so cancel it$`, "u")
    )
  expect(await problems(1)).toEqual([line("subscription"), line("trial")])
  expect(await problems(4)).toEqual([line("trial")])
  expect(await problems(5)).toEqual([])
})

describe("a run", () => {
  it("sends no more than its plan says", () =>
    beside(
      {},
      Effect.gen(function* () {
        const { exchanges } = yield* run(blank)
        const all = yield* (yield* Gateway.Gateway).transactions
        const planned = (name: "requests" | "paidIn" | "paidOut") =>
          Doctor.plan.reduce((total, step) => total + step[name], 0)
        const made = (...kinds: ReadonlyArray<string>) =>
          all.filter(({ kind }) => kinds.includes(kind)).length
        assert.isAtMost(exchanges.length, planned("requests"))
        assert.isAtMost(made("apm-payment", "card-payment"), planned("paidIn"))
        assert.isAtMost(made("apm-payout", "card-payout"), planned("paidOut"))
        assert.strictEqual(made("refund"), 1)
        for (const { metadata } of all) assert.deepStrictEqual(metadata, { "pawl.doctor": "run-1" })
      })
    ))

  it("records no secret", async () => {
    const text = JSON.stringify(await probe({ cardToken: "token" }))
    for (const secret of [
      "sandbox-key",
      "sandbox-secret",
      "4242424242424242",
      "eyJ",
      "card-token-1"
    ]) {
      assert.notInclude(text, secret)
    }
    assert.notMatch(text, /\\"(?:checksum|cvv)\\":\\"(?!<redacted>)/u)
  })

  it("goes on after an interruption at any request, and makes nothing twice", async () => {
    const whole = await beside({}, Effect.andThen(run(blank), count))
    await forAll(
      [fc.integer({ min: 1, max: 33 })],
      // After the subscription was changed, and before it was deleted.
      { numRuns, examples: [[28], [29]] },
      async (at) => {
        const made = await beside(
          {},
          Effect.gen(function* () {
            const recording = yield* interrupted(at)
            assert.deepStrictEqual(named(yield* run(recording)), {})
            return yield* count
          })
        )
        assert.strictEqual(made, whole)
      }
    )
  })
})

/** Returns the file of a run that ends after a request has reached the service. */
const interrupted = Effect.fnUntraced(function* (at: number) {
  const transport = yield* Transport.Transport
  const reached = yield* Latch.make()
  let sent = 0
  let saved = blank
  const stuck = Transport.Transport.of({
    ...transport,
    send: (...request) =>
      Effect.tap(transport.send(...request), () =>
        ++sent === at ? Effect.andThen(reached.open, Effect.never) : Effect.void
      )
  })
  const save = (recording: Doctor.Recording) =>
    Effect.sync(() => {
      saved = recording
    })
  const process = yield* Effect.forkChild(
    Effect.provideService(run(blank, save), Transport.Transport, stuck)
  )
  yield* reached.await
  yield* Fiber.interrupt(process)
  return yield* decode(JSON.stringify(saved))
})

const count = Effect.flatMap(Gateway.Gateway, ({ transactions }) =>
  Effect.map(transactions, ({ length }) => length)
)

/** The questions without an answer, because there is no payment or no page. */
const hidden: Readonly<Record<string, ReadonlyArray<string>>> = {
  "checksum: in no way that was tried": [
    "callbackAmount",
    "payoutChecksum",
    "repeated",
    "statusDelay"
  ],
  'lang: not "en"': ["intentMetadata", "intentErrorCode"]
}

/** Answers of other questions change with the status of a response. */
const mixed: ReadonlySet<string> = new Set(["errorStatus", "unknownId"])

/** The readings of each question that no other changes. */
const alone = Readings.questions
  .filter((question) => !mixed.has(question))
  .map((question) => {
    const known = Readings.known(question)
    return [question, known.filter((reading) => !(`${question}: ${reading}` in hidden))] as const
  })
const most = Math.max(...alone.map(([, known]) => known.length))

const anyReadings: fc.Arbitrary<Readings.Readings> = fc.record(
  Object.fromEntries(alone.map(([question, known]) => [question, fc.constantFrom(...known)])),
  { requiredKeys: [] }
)

const everyReading = Array.from({ length: most }, (_, at): [Readings.Readings] => [
  Object.fromEntries(alone.map(([question, known]) => [question, known[at % known.length]]))
])

/** The readings that are not in combinations. */
const planted = Readings.questions.flatMap((question) =>
  Readings.known(question)
    .slice(1)
    .filter((reading) => mixed.has(question) || `${question}: ${reading}` in hidden)
    .map((reading) => [question, reading] as const)
)

it.for(planted)("a planted reading of %s is named: %s", async ([question, reading]) => {
  const recording = await probe({ [question]: reading })
  const more = (hidden[`${question}: ${reading}`] ?? []).map((name) => [name, undefined])
  assert.deepStrictEqual(named(recording), { ...Object.fromEntries(more), [question]: reading })
})

it("any combination of readings is named right", () =>
  forAll([anyReadings], { numRuns: most + numRuns, examples: everyReading }, async (readings) => {
    const recording = await probe(readings)
    for (const { question, reading } of Doctor.findings(recording)) {
      // Where nothing is sent again, a 401 is no exception.
      if (question === "after401" && readings.retries === "never") continue
      assert.strictEqual(reading, readings[question] ?? Readings.known(question)[0], question)
    }
    const after = await probe(Doctor.profile(recording).readings)
    assert.deepStrictEqual(Doctor.changes(recording, after), [])
  }))

it.for([
  [200, "in no way that was tried"],
  [422, "in no way that was tried"],
  [429, undefined]
] as const)(
  "where refusals are answered %i, an unknown checksum is %s, and no switch follows from it",
  async ([status, reading]) => {
    const checksum = "in no way that was tried"
    const response = Edits.responses(/./u, (response) =>
      response.status === 400 ? { ...response, status } : response
    )
    const recording = await probed({ ...Readings.behaviour({ checksum }), response })
    assert.propertyVal(named(recording), "checksum", reading)
    assert.deepStrictEqual(Doctor.profile(recording).switches, {})
  }
)

it("callbacks without a status are no repeats of each other", () =>
  beside(
    {},
    Effect.gen(function* () {
      const doctor = yield* Doctor.make(settings, blank)
      const fake = yield* Fake.Fake
      yield* fake.deliverTo((incoming) => {
        const body = new TextDecoder().decode(incoming.body).replace("transactionStatus", "other")
        return doctor.receive({ ...incoming, body: new TextEncoder().encode(body) })
      })
      const recording = yield* doctor.run({ begins: () => Effect.void, saved: () => Effect.void })
      assert.deepStrictEqual(named(recording), { unknown: "field other" })
    })
  ))

it("a charset that the receiver refuses is named, and has the switch", async () => {
  const callbackType = "application/json;charset=ISO-8859-1"
  const recording = await probed({
    ...Readings.behaviour({}),
    callback: (callback) => ({ ...callback, contentType: callbackType })
  })
  const { readings, switches } = Doctor.profile(recording)
  assert.deepStrictEqual(readings, { callbackType })
  for (const { problem } of Doctor.reads(recording, switches)) assert.isUndefined(problem)
})

it("callbacks that the service did not sign change nothing, and 1,000 of them keep out no genuine one", () =>
  beside(
    {},
    Effect.gen(function* () {
      const doctor = yield* Doctor.make(settings, blank)
      const fake = yield* Fake.Fake
      const body = new TextEncoder().encode(
        JSON.stringify({ transactionId: "1", amount: 7, riskScore: 1, transactionStatus: "OTHER" })
      )
      yield* fake.deliverTo((incoming) =>
        Effect.andThen(
          Effect.replicateEffect(doctor.receive({ ...incoming, checksum: "AAAA", body }), 100),
          doctor.receive(incoming)
        )
      )
      const recording = yield* doctor.run({ begins: () => Effect.void, saved: () => Effect.void })
      const unsigned = recording.callbacks.filter(({ signed }) => signed === undefined)
      assert.isAbove(unsigned.length, 900)
      assert.isAtMost(unsigned.length, 1000)
      assert.deepStrictEqual(named(recording), {})
    })
  ))

describe("the profile of a recording", () => {
  it("has the switches by which pawl bears the service", async () => {
    const { switches } = Doctor.profile(
      await probe({
        checksum: '":", lower-case hex',
        payoutChecksum: "not accepted",
        token: "bearerToken"
      })
    )
    assert.deepStrictEqual(switches, {
      requestChecksumSeparator: ":",
      payoutChecksum: false,
      tokenField: "bearerToken"
    })
  })

  it("is the assumption of the next run", async () => {
    const recording = await probe({ checksum: '":", lower-case hex', after401: "dropped" })
    const { readings } = Doctor.profile(recording)
    assert.isFalse(Doctor.isSound(Doctor.findings(recording)))
    assert.isTrue(Doctor.isSound(Doctor.findings(recording, readings)))
  })
})

it("a changed reading, status or field is a change since the fixtures", async () => {
  const before = await probe({})
  const changed = async (readings: Readings.Readings) =>
    Doctor.changes(before, await probe(readings)).map(({ subject }) => subject)
  assert.deepStrictEqual(await changed({}), [])
  assert.deepStrictEqual(await changed({ decimals: "cut off" }), ["More than two decimals"])
  assert.includeMembers(await changed({ unknown: "field riskScore" }), [
    "Undocumented fields and statuses",
    "response to payment, riskScore"
  ])
  assert.include(await changed({ otherStatuses: "405 and 415" }), "status of wrong-method")
})

it("another kind of a field in a callback is a change since the fixtures", () => {
  const told = (field: string): Doctor.Recording => {
    const callback = { name: "payment", at: 3, search: "", contentType: "application/json" }
    const body = `{"a":${field}}`
    return { ...blank, callbacks: [{ ...callback, body, signed: "as sent", answer: 200 }] }
  }
  const kinds = ["null", "[]", "{}", '"b"', "7"].map((field) =>
    Doctor.changes(told('"a"'), told(field)).map(({ after, subject }) => `${subject}: ${after}`)
  )
  const subject = "callback of payment, a"
  const [none, list, object, number] = ["null", "list", "object", "number"].map((kind) => [
    `${subject}: ${kind}`
  ])
  expect(kinds).toEqual([none, list, object, [], number])
})

it("fixtures that an earlier version wrote are read, and lose nothing", async () => {
  const written = {
    doctor: 1,
    run: "run-1",
    baseUrl: "http://localhost/api",
    units: 1,
    steps: ["auth", "payment"],
    waited: 420_000,
    exchanges: [
      {
        name: "payment",
        method: "POST",
        path: "/v1/payments/apm",
        sent: "{}",
        at: 2,
        took: 1,
        status: 200,
        headers: { "content-type": "application/json" },
        body: "{}"
      }
    ],
    callbacks: [
      {
        name: "payment",
        at: 3,
        search: "?paymentMethod=apm",
        contentType: "application/json",
        body: "{}",
        signed: "as sent",
        answer: 200,
        heldFor: 10_000
      }
    ]
  }
  assert.deepStrictEqual<unknown>(await Effect.runPromise(decode(JSON.stringify(written))), written)
})

it.for([
  ["http://127.0.0.1:4010/api", undefined, true],
  ["https://sandbox.pay.example/api", undefined, true],
  ["https://pay-staging2.example/api", undefined, true],
  ["https://pay.example/api", undefined, false],
  ["https://sandboxes.example/api", undefined, false],
  ["https://contest.example/api", undefined, false],
  ["https://sandbox/api", undefined, true],
  ["https://pay.test/api", undefined, true],
  // The top-level domains of developers and of Qatar.
  ["https://api.pay.dev/api", undefined, false],
  ["https://api.bank.qa/api", undefined, false],
  ["https://api.bank.qa./api", undefined, false],
  ["https://qa.bank.qa/api", undefined, true],
  ["https://pay.example/api", "pay.example", true],
  ["https://pay.example/api", "other.example", false],
  ["http://sandbox.pay.example/api", undefined, false],
  ["http://pay.example/api", "pay.example", false]
] as const)("%s with %s allowed: may be probed %s", ([baseUrl, allowed, expected]) => {
  assert.strictEqual(Doctor.refusal(baseUrl, allowed) === undefined, expected)
})
