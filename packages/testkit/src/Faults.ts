/**
 * Faults of the service, injected endpoint by endpoint.
 *
 * **Details**
 *
 * | fault | response to the caller | is the request processed? |
 * |---|---|---|
 * | `500` | 500 with a JSON body | no |
 * | `503` | 503 with `Retry-After: 1` | no |
 * | `401` | 401, even with a valid token | no |
 * | `delay` | the genuine response, 5 seconds late | yes |
 * | `truncate` | the first half of the genuine response, then the connection closes | yes |
 * | `content-type` | the genuine response as `text/html` | yes |
 * | `reset-before` | a connection reset | no |
 * | `reset-after` | a connection reset | yes |
 *
 * A `Fake` has no connection: a fault that breaks one is `Unreachable` there.
 *
 * **Example** (Every second create of a payment is lost)
 *
 * ```ts
 * import * as Fake from "@pawl/testkit/Fake"
 * import * as Faults from "@pawl/testkit/Faults"
 * import * as Effect from "effect/Effect"
 *
 * const program = Effect.gen(function* () {
 *   const faults = yield* Faults.Faults
 *   yield* faults.add({ endpoint: "POST /v1/payments/apm", fault: "reset-after", rate: 0.5 })
 * }).pipe(Effect.provide(Fake.layer({ seed: 1 })))
 * ```
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import type { GatewayConfig } from "./internal/GatewayConfig.ts"
import * as SeededRandom from "./internal/SeededRandom.ts"
import * as Endpoints from "./internal/gateway/Endpoints.ts"

/**
 * Service that injects faults.
 *
 * @category services
 * @since 0.1.0
 */
export class Faults extends Context.Service<
  Faults,
  {
    /** Activates a fault. An unknown endpoint is a defect, whose message names the known forms. */
    readonly add: (fault: Fault) => Effect.Effect<void>
    /** Removes all faults. */
    readonly clear: Effect.Effect<void>
    /** The active faults in order, with the `times` they have left. */
    readonly list: Effect.Effect<ReadonlyArray<Fault>>
    /** Returns and counts the fault of one request: the first in the list that strikes. */
    readonly strike: (method: string, path: string) => Effect.Effect<Kind | undefined>
  }
>()("@pawl/testkit/Faults") {}

/**
 * The kinds of fault.
 *
 * @category constants
 * @since 0.1.0
 */
export const kinds = [
  "500",
  "503",
  "401",
  "delay",
  "truncate",
  "content-type",
  "reset-before",
  "reset-after"
] as const

/**
 * A kind of fault.
 *
 * @category models
 * @since 0.1.0
 */
export type Kind = (typeof kinds)[number]

/**
 * Schema for a fault.
 *
 * **Details**
 *
 * - `endpoint`: method and path as the specification has them, `POST /v1/payments/apm` or
 *   `GET /v1/payments/apm/status/{id}`, or `*` for all.
 * - `rate`: the probability that it strikes, above 0 and up to 1; the default is 1.
 * - `times`: the number of times it strikes; unlimited by default.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Fault = Schema.Struct({
  endpoint: Schema.String.check(
    Schema.makeFilter(
      (text) =>
        nameOf(text) !== undefined ||
        "Expected an endpoint of the contract, such as POST /v1/payments/apm, or *"
    )
  ),
  fault: Schema.Literals(kinds),
  rate: Schema.optionalKey(
    Schema.Finite.check(Schema.isGreaterThan(0), Schema.isLessThanOrEqualTo(1))
  ),
  times: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0)))
})

/**
 * A fault and its endpoint.
 *
 * @category models
 * @since 0.1.0
 */
export type Fault = typeof Fault.Type

/**
 * Layer that has no fault yet. Random faults follow the seed of the gateway.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer: Layer.Layer<Faults, never, GatewayConfig> = Layer.effect(
  Faults,
  Effect.gen(function* () {
    const random = yield* SeededRandom.make("faults")
    let faults: ReadonlyArray<Fault> = []

    const strikes = ({ rate = 1 }: Fault) =>
      rate === 1 ? Effect.succeed(true) : Effect.map(Random.next, (drawn) => drawn < rate)

    const strike = Effect.fnUntraced(
      function* (method: string, path: string) {
        const name = Endpoints.of(method, path)
        for (const fault of faults) {
          const isFor = fault.endpoint === everywhere || fault.endpoint === name
          if (!isFor || !(yield* strikes(fault))) continue
          faults = faults.flatMap((one) => (one === fault ? spent(one) : [one]))
          return fault.fault
        }
        return undefined
      },
      Effect.provideService(Random.Random, random)
    )

    return {
      add: (fault) =>
        Effect.map(Effect.orDie(decode(fault)), ({ endpoint, ...rest }) => {
          faults = [...faults, { endpoint: nameOf(endpoint) ?? endpoint, ...rest }]
        }),
      clear: Effect.sync(() => {
        faults = []
      }),
      list: Effect.sync(() => faults),
      strike: (method, path) =>
        Effect.suspend(() => (faults.length === 0 ? Effect.undefined : strike(method, path)))
    }
  })
)

/** A fault with a misspelt `times` would not end. */
const decode = Schema.decodeUnknownEffect(Fault, { onExcessProperty: "error" })

const everywhere = "*"

const nameOf = (text: string): string | undefined =>
  text.trim() === everywhere ? everywhere : Endpoints.named(text)

const spent = (fault: Fault): ReadonlyArray<Fault> =>
  fault.times === undefined
    ? [fault]
    : fault.times === 1
      ? []
      : [{ ...fault, times: fault.times - 1 }]
