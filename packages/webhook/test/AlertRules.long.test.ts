import * as Promtool from "@pawl/test-support/Promtool"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { describe, it } from "vitest"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { Ledger } from "../src/Ledger.ts"
import * as Metrics from "../src/Metrics.ts"
import type { Incoming } from "../src/Verifier.ts"
import { apm, incoming } from "@pawl/test-support/Service"
import * as World from "@pawl/test-support/World"

const minute = World.minute

/** Events of minute `n`, from 0 on. A fault lasts from minute 20 on. */
type Minute = (
  n: number,
  receiver: Effect.Success<World.World["start"]>,
  world: World.World
) => Effect.Effect<unknown, unknown>

interface Fault {
  readonly alerts?: ReadonlyArray<string>
  readonly options?: Parameters<typeof World.make>[0]
  readonly minute?: Minute
  readonly minutes?: number
  readonly hasReceiver?: boolean
}

const begin = 20
const isBroken = (now: number) => now >= begin * minute

const pay: Minute = (n, { receive }) => receive(`paid-${n}`, "SUCCEED")

const send =
  (...requests: ReadonlyArray<(id: string) => Incoming>): Minute =>
  (n, { receiveRequest }) =>
    Effect.forEach(n < begin ? [] : requests, (request) => receiveRequest(request(`sent-${n}`)))

const genuine = (transactionId: string) => incoming("apm", apm({ transactionId }))
const forged = (transactionId: string) =>
  incoming("apm", apm({ transactionId }), { checksum: "forged" })

const faults: Readonly<Record<string, Fault>> = {
  "no fault": {},
  "a single failure of the handler": {
    options: {
      handle: ({ attempt, transactionId }) =>
        attempt === 1 && transactionId === `paid-${begin}` ? Effect.fail("no") : Effect.void
    }
  },
  "a single read without an answer": {
    options: {
      read: ({ at, id }) =>
        id === `paid-${begin}` && at < (begin + 1) * minute
          ? World.unreachable
          : Effect.succeed("SUCCEED")
    }
  },
  "a single forged callback, while no other one comes": {
    minute: (n, { receiveRequest }) => (n === begin ? receiveRequest(forged("1")) : Effect.void)
  },
  "a handler that fails": {
    alerts: ["PawlHandlerFailing"],
    options: { handle: ({ at }) => (isBroken(at) ? Effect.fail("no") : Effect.void) }
  },
  "a wrong secret": {
    alerts: ["PawlSecretWrong"],
    minute: (n, ...world) => (n < begin ? pay(n, ...world) : send(forged)(n, ...world))
  },
  "forged callbacks among genuine ones": {
    alerts: ["PawlSomeCallbacksRefused"],
    minute: send(genuine, forged)
  },
  "genuine callbacks of another content type": {
    alerts: ["PawlGenuineRefused"],
    minute: send((id) => ({ ...genuine(id), contentType: "text/plain" }))
  },
  "callbacks with a checksum that cannot be read, among genuine ones": {
    alerts: ["PawlAlarm"],
    minute: send(genuine, (id) => ({ ...genuine(id), contentEncoding: "gzip" }))
  },
  "requests of a scanner among genuine callbacks": {
    minute: send(genuine, () => incoming("apm", {}, { checksum: undefined }))
  },
  "a store that cannot be written for 15 minutes": {
    alerts: ["PawlStoreFailing"],
    options: {
      isRefused: (now) => isBroken(now) && now < (begin + 15) * minute
    },
    // A transaction that falls due meanwhile cannot be claimed either.
    minute: (n, receiver, world) =>
      n === begin
        ? world.ledger.register({ kind: "apm-payment", transactionId: "1" }, world.now())
        : pay(n, receiver, world)
  },
  "a store that takes callbacks and refuses the work on them": {
    alerts: ["PawlNoProgress"],
    options: {
      read: World.says("SUCCEED"),
      plant: (ledger) => ({
        write: (leased, change) =>
          leased.transactionId === "refused"
            ? Effect.fail(new StoreUnavailable({ cause: { code: "42501" } }))
            : ledger.write(leased, change)
      })
    },
    minute: (n, receiver, world) =>
      n === begin ? receiver.receive("refused", "SUCCEED") : pay(n, receiver, world)
  },
  "a service that does not answer": {
    alerts: ["PawlServiceSilent"],
    options: {
      read: ({ at }) => (isBroken(at) ? World.unreachable : Effect.succeed("SUCCEED"))
    }
  },
  "no worker": {
    alerts: ["PawlBacklogOld"],
    hasReceiver: false,
    minute: (n, _, { ledger, now }) =>
      n === begin
        ? ledger.register({ kind: "card-payment", transactionId: "1" }, now())
        : Effect.void
  },
  "another amount than the ordered one": {
    alerts: ["PawlDeadLetters"],
    minute: (n, receiver, { ledger, now }) =>
      n === begin
        ? Effect.andThen(
            ledger.register({ kind: "apm-payment", transactionId: "1", amount: "25.00" }, now()),
            receiver.receive("1", "SUCCEED")
          )
        : Effect.void
  },
  "an undocumented status": {
    alerts: ["PawlQuarantine"],
    minute: (n, receiver, world) =>
      n === begin ? receiver.receive("1", "SETTLED") : pay(n, receiver, world)
  },
  "final statuses that conflict": {
    alerts: ["PawlAlarm"],
    options: {
      read: ({ id, at }) =>
        Effect.succeed(id === `paid-${begin}` && at < (begin + 1) * minute ? "FAILED" : "SUCCEED")
    },
    minute: (n, receiver, world) =>
      n === begin + 2
        ? receiver.receive(`paid-${begin}`, "FAILED")
        : n === begin + 3
          ? receiver.receive(`paid-${begin}`, "SUCCEED")
          : pay(n, receiver, world)
  }
}

const record = ({
  hasReceiver = true,
  minute = pay,
  minutes = 45,
  options
}: Fault): Effect.Effect<ReadonlyArray<string>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const world = yield* World.make({ read: World.says("SUCCEED"), ...options })
    const receiver = yield* hasReceiver
      ? world.start
      : Effect.succeed({} as Effect.Success<World.World["start"]>)
    const scrapes: Array<string> = []
    for (let n = 0; n < minutes; n++) {
      yield* minute(n, receiver, world)
      for (const _ of [0, 30]) {
        scrapes.push(yield* Effect.provideService(Metrics.scrape, Ledger, world.ledger))
        yield* World.pass("30 seconds")
      }
    }
    return scrapes
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.orDie)

describe.runIf(Promtool.isThere)("the alert rules", () => {
  it.each(Object.entries(faults))("fire as they should, and no other does, under %s", (_, fault) =>
    World.run(
      Effect.map(record(fault), (scrapes) => Promtool.expectAlerts(scrapes, fault.alerts ?? []))
    )
  )
})
