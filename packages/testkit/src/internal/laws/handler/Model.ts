/** A shop, the calls of its handler, and what its books say after them. */
import type { Transition } from "@pawl/core/Handler"
import { type Kind, methodOf } from "@pawl/core/Kind"
import type { Status } from "@pawl/core/Status"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** The order of a history, which the shop stores before its payment begins. */
export interface Order {
  /** The requestId of each payment of the order. */
  readonly requestId: string
  /** Its price, such as `"10.00"`. */
  readonly amount: string
  readonly currency: string
  /** The refunds that the shop asks for, each with a requestId of its own. */
  readonly refunds: ReadonlyArray<{ readonly requestId: string; readonly amount: string }>
}

/** The books of the order. A shop may lack one of the members, which is not checked then. */
export interface Books {
  /** The customer's money that the shop has, in units of the currency: `10` or `"10.00"`. */
  readonly money?: number | string | undefined
  /** How many times the goods are given: 0 or 1, unless there is a mistake. */
  readonly stock?: number | undefined
}

/** The function of a merchant. It may return a promise or an effect. */
export type Handle = (transition: Transition) => unknown

/** A shop with one order. */
export interface Shop {
  /**
   * Starts a process and returns its handler. It is called again after a crash, and for a second
   * process beside the first, which goes on: each finds only what the shop has stored.
   */
  readonly start: () => Handle | PromiseLike<Handle>
  readonly read: () => Books | PromiseLike<Books>
  /**
   * The kind of the payments: `card-payment` by default; or of the payout: `apm-payout`. The service
   * has no refunds of parts of an `apm-payment`.
   */
  readonly kind?: "apm-payment" | "card-payment" | "apm-payout" | "card-payout" | undefined
}

/** The subject of the laws: opens a shop with one unpaid order. */
export type Open = (order: Order) => Shop | PromiseLike<Shop>

/** A call, or a crash after the call before it. */
export type Step = Call | "crash"

/** Call of the handler; without a `kind` it is about a payment of the order. */
export interface Call extends Pick<Transition, "transactionId" | "from" | "sequence" | "attempt"> {
  readonly kind?: Kind
  readonly requestId: string | null
  readonly to: string
  /** Whether a callback claimed the status; false if only a read found it. */
  readonly byCallback: boolean
  readonly conflict: Array<Status> | null
  readonly amount: string
}

export const again = (call: Call): Call => ({ ...call, attempt: call.attempt + 1 })

/** In binary fractions `19.99 * 100` and `4.35 * 100` are less than 1999 and 435. */
export const amount = "19.99"

/** The amounts of refunds of parts, two of them equal. */
export const parts: ReadonlyArray<string> = ["4.35", "4.35", "3.10"]

export const requestId = "order-17"

export const show = (steps: ReadonlyArray<Step>): string =>
  steps.length === 0 ? "the handler receives nothing" : steps.map(line).join("\n")

const line = (step: Step, at: number): string => {
  if (step === "crash") return `${at + 1}. the process crashes and starts again`
  const { attempt, byCallback, from, kind = "payment", sequence, to, transactionId } = step
  const owner = step.requestId === requestId ? "" : `, requestId ${step.requestId}`
  const before = `from ${from ?? "nothing"}, sequence ${sequence}, attempt ${attempt}${owner}`
  const source = byCallback ? "" : ", found by a read"
  return `${at + 1}. the handler receives ${JSON.stringify(to)} of ${kind} ${transactionId} (${before}${source})`
}

export interface Running {
  readonly kind: Shop["kind"]
  readonly play: (steps: ReadonlyArray<Step>) => Effect.Effect<void, unknown>
  /** Makes calls at the same time, each in a process of its own. One that fails is made again. */
  readonly together: (steps: ReadonlyArray<Call>) => Effect.Effect<void, unknown>
  readonly books: Effect.Effect<Books>
}

export const start = Effect.fnUntraced(function* (
  open: Open,
  refunds: ReadonlyArray<string> = parts
): Effect.fn.Return<Running> {
  const order = {
    requestId,
    amount,
    currency: "EUR",
    refunds: refunds.map((amount, at) => ({ requestId: `return-${at + 1}`, amount }))
  }
  const shop = yield* toEffect(() => open(order))
  let handle = yield* toEffect(shop.start)
  const callTo = (handle: Handle, step: Call) => toldTo(handle, transitionOf(step, shop.kind))
  return {
    kind: shop.kind,
    play: (steps) =>
      Effect.forEach(
        steps,
        Effect.fnUntraced(function* (step) {
          if (step === "crash") handle = yield* toEffect(shop.start)
          else yield* callTo(handle, step)
        }),
        { discard: true }
      ),
    together: Effect.fnUntraced(function* (steps) {
      const processes = yield* Effect.forEach(steps, () => toEffect(shop.start))
      const failed = yield* Effect.filter(
        steps,
        (step, at) => hasFailed(callTo(processes[at] ?? handle, step)),
        { concurrency: "unbounded" }
      )
      yield* Effect.forEach(failed, (step) => callTo(handle, again(step)), { discard: true })
    }),
    books: toEffect(shop.read)
  }
})

const toEffect = <A>(run: () => A | PromiseLike<A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const result = run()
    return Effect.promise(() => Promise.resolve(result))
  }).pipe(inTime)

const inTime = Effect.timeoutOrElse({
  duration: "10 seconds",
  orElse: () => Effect.die(new HangingShop())
})

class HangingShop extends Data.TaggedError("HangingShop") {
  override readonly message = "a function of the shop has not ended after 10 seconds"
  override readonly stack = ""
  readonly isHanging = true
}

const toldTo = (handle: Handle, transition: Transition): Effect.Effect<unknown, unknown> =>
  Effect.flatMap(
    toEffect(() => handle(transition)),
    (result) => (isEffect(result) ? inTime(result) : Effect.void)
  )

/** A call that hangs is no failed one, because it would hang again. */
const hasFailed = (call: Effect.Effect<unknown, unknown>): Effect.Effect<boolean, unknown> =>
  Effect.matchCauseEffect(call, {
    onFailure: (cause) =>
      Cause.squash(cause) instanceof HangingShop ? Effect.failCause(cause) : Effect.succeed(true),
    onSuccess: () => Effect.succeed(false)
  })

const isEffect = (result: unknown): result is Effect.Effect<unknown, unknown> =>
  Effect.isEffect(result)

const transitionOf = (
  { amount, byCallback, to, ...step }: Call,
  payment: Kind = "card-payment"
): Transition => {
  const isPayout = step.kind === "apm-payout" && payment === "card-payout"
  const kind = isPayout ? payment : (step.kind ?? payment)
  return {
    ...step,
    id: `${kind}:${step.transactionId}:${step.sequence}:${to}`,
    kind,
    method: methodOf(kind),
    to: to as Status,
    confirmed: true,
    signed: byCallback
      ? { account: "shop-1", amount, currency: "EUR", transactionId: step.transactionId }
      : null,
    callback: byCallback ? {} : null
  }
}

class BooksDiffer extends Data.TaggedError("BooksDiffer")<{ readonly message: string }> {
  override readonly stack = ""
}

export const compare = (
  books: Books,
  expected: Books,
  when: string,
  source = ""
): Effect.Effect<void, BooksDiffer> => {
  const [is, wanted] = [cents(books.money), cents(expected.money)]
  const isEmpty = books.money === undefined && books.stock === undefined
  const isRight =
    (is === undefined || wanted === undefined || is === wanted) &&
    (books.stock === undefined || expected.stock === undefined || books.stock === expected.stock)
  const asked = {
    money: books.money === undefined ? undefined : expected.money,
    stock: books.stock === undefined ? undefined : expected.stock
  }
  const said = isEmpty ? "neither money nor stock" : describe(books)
  const message = `${when} the books say ${said}. Expected ${describe(isEmpty ? expected : asked)}${source}`
  return isRight && !isEmpty ? Effect.void : Effect.fail(new BooksDiffer({ message }))
}

const describe = ({ money, stock }: Books): string =>
  [
    ...(money === undefined ? [] : [`money ${money}`]),
    ...(stock === undefined ? [] : [`stock ${stock}`])
  ].join(", ")

/** Returns an amount in hundredths, so that sums of fractions compare as the amounts do. */
const cents = (money: Books["money"]): number | undefined =>
  money === undefined ? undefined : Math.round(Number(money) * 100)
