import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as fc from "fast-check"
import * as Faults from "../../../Faults.ts"
import * as Laws from "../../../Laws.ts"
import type { Client, Make, Order, Refund } from "./Model.ts"
import * as Harness from "./Harness.ts"
import { sequence } from "../../generators/Sequence.ts"

export type ClientLaw = Laws.Law<Make>

/** Makes a law; `body` gets a new client with its harness, and one list of events. */
export const law = <A>(
  text: Laws.LawText,
  options: {
    readonly events: fc.Arbitrary<ReadonlyArray<A>> | ReadonlyArray<ReadonlyArray<A>>
    readonly show?: (event: A) => string
  },
  body: (
    harness: Harness.Harness,
    events: ReadonlyArray<A>
  ) => Generator<Effect.Effect<unknown, unknown>, void, never>
): ClientLaw => {
  const { events, show = String } = options
  const parts = {
    show: (events: ReadonlyArray<A>) =>
      events.map((event, at) => `${at + 1}. ${show(event)}`).join("\n") || "no request has a fault",
    body: (make: Make, events: ReadonlyArray<A>) =>
      Harness.withHarness(make, (harness) => Effect.gen(() => body(harness, events)))
  }
  return events instanceof fc.Arbitrary
    ? Laws.propertyEffect(text, { ...parts, arbitrary: events, numRuns: 30 })
    : Laws.each(text, { ...parts, values: events })
}

export const one = <A>(arbitrary: fc.Arbitrary<A>): fc.Arbitrary<ReadonlyArray<A>> =>
  fc.tuple(arbitrary)

export const oneOf = <const A>(...events: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  events.map((event) => [event])

export const requestFaults = (
  table: ReadonlyArray<Harness.RequestFault> = ["none", ...Faults.kinds],
  maxLength = 4
): fc.Arbitrary<ReadonlyArray<Harness.RequestFault>> => sequence(table, maxLength)

/** Requests after the last fault have none. */
export const inOrder =
  (faults: ReadonlyArray<Harness.RequestFault>) =>
  (n: number): Harness.RequestFault =>
    faults[n] ?? "none"

export const order = (fields: Partial<Order> = {}): Order => ({
  requestId: "order-1",
  accountId: "4711",
  amount: "10.00",
  currency: "EUR",
  apmPayload: { paymentMethod: "WALLET" },
  ...fields
})

export const refundOf = (transactionId: string): Refund => ({
  requestId: "refund-1",
  mid: "mid-1",
  transactionId,
  amount: "4.10",
  reason: "duplicate"
})

const operations = {
  create: ({ create }: Client) => create(order()),
  status: ({ status }: Client) => status("100001"),
  refund: ({ refund }: Client) => refund?.(refundOf("100001")),
  change: ({ change }: Client) => change?.("7"),
  cancel: ({ cancel }: Client) => cancel?.("7")
} as const

interface Call {
  readonly operation: keyof typeof operations
  readonly faults: ReadonlyArray<Harness.RequestFault>
}

/** Makes a law of each operation that a client has, with each list of faults. */
export const lawOfOperations = (
  text: Laws.LawText,
  faults: ReadonlyArray<Call["faults"]>,
  body: (
    harness: Harness.Harness,
    call: () => Promise<unknown>,
    faults: Call["faults"]
  ) => Generator<Effect.Effect<unknown, unknown>, void, never>
): ClientLaw =>
  law(
    text,
    {
      events: Struct.keys(operations).flatMap((operation) =>
        faults.map((faults): readonly [Call] => [{ operation, faults }])
      ),
      show: ({ faults, operation }) => [operation, ...faults].join(", ")
    },
    function* (harness, calls) {
      const { client } = harness
      for (const { faults, operation } of calls) {
        if (client[operation] === undefined) continue
        const call = () => Promise.resolve(operations[operation](client))
        yield* Effect.gen(() => body(harness, call, faults))
      }
    }
  )
