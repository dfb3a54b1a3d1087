/**
 * Services of `fixtures/deviating.txt`: the doctor's answer, its profile, and a merchant's faults
 * with it.
 */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import type { Behaviour } from "@pawl/testkit/internal/Behaviour"
import * as Doctor from "../src/Doctor.ts"
import * as Readings from "@pawl/sandbox/Readings"
import * as Edits from "../src/internal/readings/Edits.ts"
import * as Rehearsal from "../src/internal/doctor/Rehearsal.ts"
import { probe } from "./support/probed.ts"

const planted = Readings.questions.flatMap((question) =>
  Readings.known(question)
    .slice(1)
    .map(
      (reading) => [`${question}: ${reading}`, Readings.behaviour({ [question]: reading })] as const
    )
)

const creates = /^POST (?!.*\/auth$)/u
const statuses = /^GET .*\/status\//u
type Callback = NonNullable<Behaviour["callback"]>
type Responses = Parameters<typeof Edits.responses>
type Objects = Parameters<typeof Edits.objects>

/** Services that change their responses, the objects of these, their callbacks or the bodies of these. */
const responds = (...edit: Responses): Behaviour => ({
  ...Readings.behaviour({}),
  response: Edits.responses(...edit)
})
const creating = (change: Objects[1]): Behaviour => ({
  ...Readings.behaviour({}),
  response: Edits.objects(creates, change)
})
const calling = (callback: Callback): Behaviour => ({ ...Readings.behaviour({}), callback })
const telling = (change: (fields: Edits.JsonObject) => object): Behaviour =>
  calling((callback) => ({ ...callback, body: change(callback.body) as typeof callback.body }))
const naming = (paymentMethod: string): Behaviour =>
  calling((callback) => ({
    ...callback,
    url: callback.url.replace(/paymentMethod=\w+/u, paymentMethod)
  }))

/** Deviations that no question of the doctor is about. */
const others: Readonly<Record<string, Behaviour>> = {
  "a create has no id": creating((fields) =>
    Edits.without(Edits.without(fields, "transactionId"), "refundId")
  ),
  "a create has the id of another request": creating((fields) => ({
    ...fields,
    requestId: "another"
  })),
  "ids are numbers": creating(({ transactionId: id, ...fields }) =>
    id === undefined ? fields : { ...fields, transactionId: Number(id) }
  ),
  "a create is an array": creating((fields) => [fields]),
  "a create has its fields in data": creating((data) => ({ data })),
  "responses are HTML": responds(creates, (response) => ({ ...response, body: "<html>" })),
  "a create is answered 202 without a body": responds(creates, (response) =>
    response.status === 200 ? { ...response, status: 202, body: "" } : response
  ),
  "a create is answered 302": responds(creates, (response) => ({ ...response, status: 302 })),
  "a create is answered 500 although it was made": responds(creates, (response) => ({
    ...response,
    status: 500
  })),
  "statuses are in lower case": responds(statuses, (response) => ({
    ...response,
    body: response.body.toLowerCase()
  })),
  "a status is a number": responds(statuses, (response) =>
    response.status === 200 ? { ...response, body: "4" } : response
  ),
  "a status is always 404": responds(statuses, (response) => ({ ...response, status: 404 })),
  "a callback has only its status": telling(() => ({})),
  "a callback has the amount as an object": telling((fields) => ({
    ...fields,
    amount: { value: "1.10" },
    orderAmount: { value: "1.10" }
  })),
  "a callback has the id of nobody": calling(({ body, signed, ...callback }) => ({
    ...callback,
    signed: { ...signed, transactionId: "7" },
    body: { ...body, transactionId: "7" }
  })),
  "a callback signs another account": calling(({ signed, ...callback }) => ({
    ...callback,
    signed: { ...signed, account: "1" }
  })),
  "a callback signs its fields in another order": calling(({ signed, ...callback }) => ({
    ...callback,
    signed: { ...signed, account: signed.transactionId, transactionId: signed.account }
  })),
  "a callback has both layouts": telling((fields) => ({
    ...fields,
    mid: "1",
    orderAmount: "1.10",
    orderCurrency: "EUR",
    accountId: "1",
    amount: "1.10",
    currency: "EUR"
  })),
  "a callback names another paymentMethod": naming("paymentMethod=sepa"),
  "a callback is form-encoded": calling((callback) => ({
    ...callback,
    contentType: "application/x-www-form-urlencoded"
  })),
  "a callback comes without paymentMethod": naming("")
}

const rows = [...planted, ...Object.entries(others)]

/** The doctor's `exit` at once, and after its profile was set. */
const play = async (behaviour: Behaviour) => {
  const recording = await probe(behaviour)
  const profile = Doctor.profile(recording)
  const checks = [
    ...Doctor.reads(recording, profile.switches),
    ...(await Effect.runPromise(Doctor.rehearse(profile)))
  ]
  const exits = [{}, profile.readings].map((assumed) =>
    Doctor.isSound(Doctor.findings(recording, assumed), checks) ? 0 : 1
  )
  const happened = await Effect.runPromise(Rehearsal.run(behaviour, profile.switches))
  const wrong = happened.flatMap(({ problem, subject }) => (problem === undefined ? [] : [subject]))
  return { exits, switches: profile.switches, wrong }
}

it("the doctor exits with 0 for no service at which a payment, payout, refund or callback goes wrong", async () => {
  expect(rows.length).toBeGreaterThanOrEqual(60)
  const lines: Array<string> = []
  for (const [name, behaviour] of rows) {
    const { exits, switches, wrong } = await play(behaviour)
    if (exits.includes(0)) expect([name, ...wrong]).toEqual([name])
    const set = Object.entries(switches).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    const ends = wrong.length === 0 ? "all right" : `wrong: ${wrong.join(", ")}`
    lines.push([name, `exits ${exits.join(", ")}`, set.join(", ") || "no switch", ends].join(" | "))
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("fixtures/deviating.txt")
})
