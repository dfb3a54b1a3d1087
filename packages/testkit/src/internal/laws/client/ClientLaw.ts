/**
 * What a law of the client is, and what they all begin with.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as Faults from "../../../Faults.ts"
import * as Laws from "../../../Laws.ts"
import type { Make, Order } from "./Model.ts"
import * as ClientStage from "./Stage.ts"
import { sequence } from "../../generators/Sequence.ts"

/**
 * A law of the client, tried on lists of what befalls it.
 *
 * @category models
 * @since 0.1.0
 */
export type ClientLaw = Laws.Law<Make>

/**
 * Makes a law; `body` has a client on a stage of its own, and one list of what befalls it. Where there are only
 * a few such lists, all of them are tried.
 *
 * @category constructors
 * @since 0.1.0
 */
export const law = <A>(
  about: Laws.About,
  options: {
    readonly events: fc.Arbitrary<ReadonlyArray<A>> | ReadonlyArray<ReadonlyArray<A>>
    readonly show?: (event: A) => string
  },
  body: (
    stage: ClientStage.Stage,
    events: ReadonlyArray<A>
  ) => Generator<Effect.Effect<unknown, unknown>, void, never>
): ClientLaw => {
  const { events, show = String } = options
  const trial = {
    show: (events: ReadonlyArray<A>) =>
      events.map((event, at) => `${at + 1}. ${show(event)}`).join("\n"),
    body: (make: Make, events: ReadonlyArray<A>) =>
      ClientStage.on(make, (stage) => Effect.gen(() => body(stage, events)))
  }
  return events instanceof fc.Arbitrary
    ? Laws.propertyEffect(about, { ...trial, arbitrary: events, numRuns: 30 })
    : Laws.each(about, { ...trial, values: events })
}

/**
 * Lists of one.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const one = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.tuple(arbitrary)

/**
 * Lists of one, each of these.
 *
 * @category constructors
 * @since 0.1.0
 */
export const oneOf = <const A>(...events: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  events.map((event) => [event])

/**
 * Up to so many requests in a row, each of which meets one of these.
 *
 * @category arbitraries
 * @since 0.1.0
 */
export const weathers = (
  table: ReadonlyArray<ClientStage.Weather> = ["fine", ...Faults.kinds],
  most = 4
): fc.Arbitrary<ReadonlyArray<ClientStage.Weather>> => sequence(table, most)

/**
 * Says what each of the first requests meets, and `then` the others.
 *
 * @category constructors
 * @since 0.1.0
 */
export const inTurn =
  (weathers: ReadonlyArray<ClientStage.Weather>, then: ClientStage.Weather = "fine") =>
  (n: number): ClientStage.Weather =>
    weathers[n] ?? then

/**
 * Makes an order of which nothing is remarkable but what is given.
 *
 * @category constructors
 * @since 0.1.0
 */
export const order = (over: Partial<Order> = {}): Order => ({
  requestId: "order-1",
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" },
  ...over
})
