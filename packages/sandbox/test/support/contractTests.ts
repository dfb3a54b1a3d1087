import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { describe, it } from "vitest"
import type * as Gateway from "@pawl/testkit/Gateway"
import { contract } from "./contract.ts"
import { pace, type Service, ServiceUnderTest } from "./contractService.ts"

/** Makes a service that starts at a time in milliseconds, where time is virtual. */
export type ServiceLayer = (
  options: Gateway.Options,
  startsAt?: number
) => Layer.Layer<ServiceUnderTest, unknown>

export const clockAt = (startsAt: number) =>
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(startsAt)), TestClock.layer())

export const anotherOf = (service: ServiceLayer, options: Gateway.Options): Service["another"] =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    service(options, now).pipe(
      Layer.fresh,
      Layer.build,
      Effect.map(Context.get(ServiceUnderTest)),
      Effect.orDie
    )
  )

export const pressing =
  ({ checkout }: Gateway.Gateway["Service"]): Service["press"] =>
  (url, form) => {
    const [, page, id = ""] = new URL(url).pathname.split("/")
    return page === "pay"
      ? checkout.submit(id, form)
      : checkout.confirm(id, form["act"] as Parameters<typeof checkout.confirm>[1])
  }

export const keepsContract = (behind: string, service: ServiceLayer) =>
  describe(`the ${behind} keeps the contract`, () => {
    for (const [of, cases] of Object.entries(contract)) {
      for (const { holds, name, options } of cases) {
        it(`of ${of}: ${name}`, () =>
          holds.pipe(
            Effect.provide(service({ pace, seed: 1, ...options })),
            Effect.scoped,
            Effect.runPromise
          ))
      }
    }
  })
