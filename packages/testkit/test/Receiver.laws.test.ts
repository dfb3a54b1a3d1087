import * as Handler from "@pawl/core/Handler"
import * as Hmac from "@pawl/core/Hmac"
import type { Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import * as Evidence from "@pawl/core/Evidence"
import * as Ledger from "@pawl/webhook/Ledger"
import * as PawlReceiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as References from "effect/References"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { afterAll, describe, expect, it } from "vitest"
import * as Fake from "../src/Fake.ts"
import { Faults } from "../src/Faults.ts"
import { Gateway } from "../src/Gateway.ts"
import * as Laws from "../src/Laws.ts"
import { laws, type Reporting, service } from "../src/Laws/Receiver.ts"
import { breaks, stepsOf } from "@pawl/test-support/LawTests"
import { repeats } from "@pawl/test-support/Repeats"
import { type Make, page } from "./support/lawPictures.ts"
import { describePlantedBugs } from "@pawl/test-support/PlantedBugs"
import { letterReceiver, receiver, receivers } from "./support/receiver.ts"

const secret = "sandbox-secret"
const merchantSecret = Redacted.make(secret)
/** Waits in turns of the event loop, so that pending work completes. */
const turns = async (millis: number) => {
  for (let left = Math.ceil(millis / 500); left > 0; left--) {
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const makeFake = async () => {
  const fake = ManagedRuntime.make(Fake.layer())
  onEnd.push(() => fake.dispose())
  const checked = {
    secret: merchantSecret,
    service: await fake.runPromise(service({ merchantSecret })),
    sleep: turns
  }
  return { checked, fake }
}

const subject = async (
  wrong?: Parameters<typeof receiver>[1],
  onRead: Parameters<Make>[0] = () => {}
): Promise<Reporting> => {
  const { checked, fake } = await makeFake()
  const read = (method: Method, id: string): Promise<Status | undefined> =>
    Effect.gen(function* () {
      const { strike } = yield* Faults
      const path = method === "card" ? "payments/card" : "payments/apm"
      if (yield* strike("GET", `/api/v1/${path}/status/${id}`)) return yield* Effect.die("down")
      const { transaction } = yield* Gateway
      const found = yield* transaction(id)
      return found?.kind.startsWith("apm") === (method === "apm") ? found?.status : undefined
    }).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() =>
          onRead(method, id, Exit.isSuccess(exit) ? (exit.value ?? "404") : "no answer")
        )
      ),
      fake.runPromise
    )
  return { ...receiver({ secret, read }, wrong), ...checked }
}

const pawlReceiver = async (): Promise<Reporting> => {
  const world = ManagedRuntime.make(
    PawlReceiver.layer().pipe(
      Layer.provide(Verifier.layer({ current: merchantSecret })),
      Layer.provide([Handler.layer(() => Effect.void), Hmac.layer]),
      Layer.provideMerge([Ledger.layerMemory, Fake.layer()]),
      Layer.provideMerge(TestClock.layer()),
      Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "None"))
    )
  )
  const context = await world.context()
  const { dispose, handler } = WebReceiver.toHandler(Layer.succeedContext(context))
  onEnd.push(dispose, () => world.dispose())
  let pending: Promise<unknown> = Promise.resolve()
  return {
    secret: merchantSecret,
    service: await world.runPromise(service({ merchantSecret })),
    send: (request) => {
      const response = handler(request)
      pending = Promise.all([pending, response])
      return response
    },
    status: (method, id) =>
      world.runPromise(
        Effect.map(
          Effect.flatMap(Ledger.Ledger, ({ get }) => get(method, id)),
          (row) => row && Evidence.standing(row.evidence, row.read?.status, "final").status
        )
      ),
    sleep: (millis) => pending.then(() => world.runPromise(TestClock.adjust(millis)))
  }
}

const onEnd: Array<() => Promise<void>> = []
afterAll(() => Promise.all(onEnd.map((end) => end())))

const letter = async (): Promise<Reporting> => ({
  ...letterReceiver(secret),
  ...(await makeFake()).checked
})

/**
 * `Conformance` of the sandbox numbers the laws of the specification and those of pawl in this
 * order.
 */
const { pawls = [], specified = [] } = Object.groupBy(laws, ({ section }) =>
  section.startsWith("spec.md") ? "specified" : "pawls"
)

describe("the laws of a receiver", async () => {
  const toTheLetter = await letter()
  it.for(specified)(
    "of the specification hold for a receiver that follows it to the letter: $name",
    (law) => Laws.run(law, toTheLetter, { numRuns: repeats(100) })
  )

  const pawl = await pawlReceiver()
  it.for(laws)("hold for pawl's receiver: $name", (law) =>
    Laws.run(law, pawl, { numRuns: repeats(40, 2) })
  )

  const correct = await subject()
  it.for(laws)("hold for a correct handwritten receiver: $name", (law) =>
    Laws.run(law, correct, { numRuns: repeats(40) })
  )

  it("are broken by a response that is endless or never comes, and end its request", async () => {
    const ended: Array<string> = []
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => void ended.push("response")
      })
    for (const [send, wrong] of [
      [() => new Response(endless()), /the response is longer than 1 MB$/u],
      [
        ({ signal }) => {
          signal.addEventListener("abort", () => ended.push("request"))
          return new Promise<never>(() => {})
        },
        /no response arrived within 10 seconds$/u
      ]
    ] satisfies ReadonlyArray<readonly [Reporting["send"], RegExp]>) {
      const [law] = await breaks(specified.slice(0, 1), { ...correct, send })
      expect(law?.wrong).toMatch(wrong)
    }
    expect(new Set(ended)).toEqual(new Set(["response", "request"]))
  })

  it("are broken by a receiver that throws, with its error as the cause", async () => {
    const thrown = new TypeError("no body")
    const send = () => Promise.reject(thrown)
    const [law] = await breaks(specified.slice(0, 1), { ...correct, send })
    expect(law).toMatchObject({ cause: thrown, wrong: expect.stringContaining("no body") })
  })
})

describePlantedBugs("a receiver", [...specified, ...pawls], receivers, subject, {
  numRuns: 15,
  more: (foundOf) =>
    it("are drawn in docs/conform-laws.md, each with a counterexample of a planted bug", async () => {
      const found = receivers.map(([bug, law, wrong]) => {
        const by = foundOf(bug)?.by
        return { bug, by, law, wrong, steps: stepsOf(by) ?? Infinity }
      })
      const pictures = [...specified, ...pawls].map((law) => {
        const [shortest] = found
          .filter((each) => each.law === law.name)
          .toSorted((one, two) => one.steps - two.steps)
        if (shortest?.by === undefined) throw new Error(`no counterexample: ${law.name}`)
        const { bug, by, wrong } = shortest
        return {
          law,
          bug,
          by,
          wrong: (onRead: Parameters<Make>[0]) => subject(wrong, onRead),
          right: (onRead: Parameters<Make>[0]) => subject({}, onRead)
        }
      })
      await expect(await page(pictures)).toMatchFileSnapshot("../../../docs/conform-laws.md")
    })
})
