/**
 * The laws of a gateway: the payments service itself, or whatever takes its place in a test.
 *
 * **Details**
 *
 * They are put to a door (`Door`) that requests go into and answers come out of, and that has time pass: the gateway
 * in memory, a sandbox by its address, a mock of your own. They ask as anybody could, by the endpoints of
 * `spec.md`, and know nothing of what is behind.
 *
 * **Gotchas**
 *
 * Where a law asks for a scenario (`sandbox.scenario`), a service that knows none gives what it gives.
 *
 * **Example** (The gateway in memory)
 *
 * ```ts
 * import * as Laws from "@pawl/testkit/Laws"
 * import * as Gateway from "./GatewayLaws.ts"
 *
 * for (const law of Gateway.laws) await Laws.run(law, Gateway.ours, { numRuns: 3 })
 * ```
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Fake from "@pawl/testkit/Fake"
import * as Gateway from "@pawl/testkit/Gateway"
import * as GatewayLaw from "./GatewayLaw.ts"
import { requests } from "./Requests.ts"
import { transactions } from "./Transactions.ts"
import * as IdleClock from "../../../packages/testkit/src/internal/laws/IdleClock.ts"

/**
 * Service that is the door of a payments service nobody has used yet.
 *
 * - `handle` sends one request, and reads its answer; `path` is from the host root.
 * - `pass` has time go by, and returns when all that fell due is done.
 * - `merchantKey`, `merchantSecret`: the credentials it knows.
 *
 * @category services
 * @since 0.1.0
 */
export const Door = GatewayLaw.Door

/**
 * The door of a payments service nobody has used yet.
 *
 * @category models
 * @since 0.1.0
 */
export type Door = GatewayLaw.Door

/**
 * What is put to the test: a function that makes the layer of such a door. It is built for each value a law is
 * tried on.
 *
 * @category models
 * @since 0.1.0
 */
export type Fresh = GatewayLaw.Fresh

/**
 * The gateway in memory, whose transactions move every 15 minutes.
 *
 * @category constructors
 * @since 0.1.0
 */
export const ours: Fresh = () =>
  Layer.suspend(() => {
    const { clock, during } = IdleClock.make()
    return Layer.effect(
      Door,
      Effect.map(Gateway.Gateway, ({ handle }) => ({
        handle,
        pass: (duration) => during(Effect.sleep(duration)),
        merchantKey: "sandbox-key",
        merchantSecret: "sandbox-secret"
      }))
    ).pipe(
      Layer.provide(Fake.layer({ pace: "15 minutes" })),
      // Whoever asks lives in the same time.
      Layer.provideMerge(Layer.succeed(Clock.Clock, clock))
    )
  })

/**
 * The laws of a gateway.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<GatewayLaw.GatewayLaw> = [...requests, ...transactions]
