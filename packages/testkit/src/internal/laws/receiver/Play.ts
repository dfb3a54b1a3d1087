/**
 * Plays a case at a receiver: moves the service, sends the callbacks, and looks at what is believed.
 *
 * @since 0.1.0
 */
import { isStatus, isTerminal, type Status } from "@pawl/core/Status"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type Case, letterOf, methodOf, type Step } from "./Case.ts"
import { type Believing, reason, send, sleep, Wrong } from "./ReceiverLaw.ts"

/**
 * A look at a transaction: what is believed of it, and what the service has said of it until now, the last
 * of them last.
 *
 * @category models
 * @since 0.1.0
 */
export interface Look {
  readonly which: number
  readonly believed: Status | undefined
  readonly said: ReadonlyArray<Status>
}

/**
 * What is made of a case while it is played.
 *
 * - `watch` says what is wrong with a look, if anything; each callback is looked after.
 * - `settles`: whether the receiver has to come to believe the service, within its patience.
 *
 * @category models
 * @since 0.1.0
 */
export interface Manner {
  readonly watch?: (look: Look) => string | undefined
  readonly settles?: boolean
}

/** How often the service sends a callback that is refused. */
const tries = 6
/** The waits between two looks, in milliseconds; the last one repeats. */
const gaps = [10, 20, 40, 80, 160, 250]

/**
 * Plays a case with transactions of its own.
 *
 * @category running
 * @since 0.1.0
 */
export const play = Effect.fnUntraced(
  function* (subject: Believing, given: Case, manner: Manner) {
    const { service } = subject
    const ids = yield* service.open(given.kinds)
    const said = given.kinds.map((): Array<Status> => [])

    const look = Effect.fnUntraced(function* (which: number) {
      const { [which]: kind = "card-payment" } = given.kinds
      const status = yield* Effect.tryPromise({
        try: () => Promise.resolve(subject.state(methodOf[kind], ids[which] ?? "")),
        catch: reason
      }).pipe(
        Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail("no answer") }),
        Effect.mapError((why) => new Wrong({ message: `what is believed cannot be read: ${why}` }))
      )
      const believed = typeof status === "string" && isStatus(status) ? status : undefined
      const wrong = manner.watch?.({ which, believed, said: said[which] ?? [] })
      if (wrong !== undefined) return yield* new Wrong({ message: wrong })
      return believed
    })

    /** A genuine callback is sent again until it is taken. */
    const come = Effect.fnUntraced(function* ({ delivery, which }: Coming) {
      const { [which]: kind = "card-payment" } = given.kinds
      const letter = letterOf(kind, ids[which] ?? "", delivery)
      for (let left = delivery.forged === undefined ? tries : 1; left > 0; left--) {
        const { status } = yield* send(subject, letter)
        if (status < 300) return
      }
    })

    const linger = Effect.fnUntraced(function* (which: number) {
      for (const gap of gaps.slice(0, 3)) {
        yield* look(which)
        yield* sleep(subject, gap)
      }
    })

    const take = Effect.fnUntraced(function* (step: Step) {
      if (step._tag === "Sends") return yield* send(subject, step.letter)
      const { which } = step
      switch (step._tag) {
        case "Moves":
          said[which]?.push(step.status)
          return yield* service.move(ids[which] ?? "", step.status)
        case "Fails":
          return yield* service.fail(given.kinds[which] ?? "card-payment", step.fault)
        case "Comes":
          yield* come(step)
          // What a forged end does may take its time.
          if (isForgedEnd(step)) yield* linger(which)
          else if (manner.watch !== undefined) yield* look(which)
      }
    })

    // What was played once is played in the same order again.
    const scheduler = fc.cloneIfNeeded(given.scheduler)
    const comings = given.steps.filter((step) => step._tag === "Comes")
    const first = scheduler === undefined ? given.steps : given.steps.filter(isNoCallback)
    yield* Effect.forEach(first, take, { discard: true })
    if (scheduler !== undefined) {
      yield* Effect.forEach(
        comings,
        (coming) =>
          Effect.andThen(
            Effect.promise(() => scheduler.schedule(turn)),
            come(coming)
          ),
        { concurrency: "unbounded", discard: true }
      ).pipe(
        Effect.raceFirst(
          Effect.andThen(
            Effect.promise(() => scheduler.waitIdle()),
            Effect.never
          )
        )
      )
    }

    const settled = Effect.fnUntraced(function* (which: number) {
      const truth = said[which]?.at(-1)
      const patience = Duration.toMillis(Duration.fromInputUnsafe(subject.patience ?? "5 seconds"))
      for (let waited = 0, at = 0; ; at++) {
        const believed = yield* look(which)
        if (isTerminal(truth ?? "NEW") ? believed === truth : believed && !isTerminal(believed))
          return
        if (waited >= patience) {
          const message = `the service says ${truth}, and ${believed ?? "nothing"} is believed`
          return yield* new Wrong({ message })
        }
        const gap = gaps[at] ?? longest
        waited += gap
        yield* sleep(subject, gap)
      }
    })
    const last = manner.settles === true ? settled : linger
    yield* Effect.forEach(given.kinds, (_, which) => last(which), { discard: true })
  },
  (playing, { service }) => Effect.ensuring(playing, service.mend)
)

type Coming = Extract<Step, { readonly _tag: "Comes" }>

const isForgedEnd = ({ delivery: { forged, status } }: Coming): boolean =>
  forged === "status" && isStatus(status) && isTerminal(status)

const isNoCallback = ({ _tag }: Step): boolean => _tag !== "Comes"
const turn = Promise.resolve()
const longest = 250
