import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type CaseStep, methodOf, type ReceiverCase, requestOf } from "./Case.ts"
import {
  expectStatus,
  reasonOf,
  ReceiverWrong,
  type Reporting,
  send,
  sleep
} from "./ReceiverLaw.ts"

/**
 * The status that a receiver reports, and all statuses of the service until now, the current one
 * last.
 */
export interface StatusReport {
  readonly reported: Status | undefined
  readonly actual: ReadonlyArray<Status>
}

export interface RunOptions {
  /** The status is read after each callback. */
  readonly check?: (report: StatusReport) => string | undefined
  /** The receiver has to report the service's status within its settle timeout. */
  readonly settles?: boolean
  /** Each callback is answered 200 at its first attempt. The status is not read. */
  readonly isAnswered?: boolean
}

const silent = "no response"
const maxAttempts = 6
const readGaps = [10, 20, 40, 80, 160, 250]
const longestGap = 250

export const run = Effect.fnUntraced(
  function* (subject: Reporting, { kinds, ...value }: ReceiverCase, options: RunOptions) {
    const { service } = subject
    const ids = yield* service.open(kinds)
    const actual = kinds.map((): Array<Status> => [])

    const readStatus = Effect.fnUntraced(function* (index: number) {
      const { [index]: kind = "card-payment" } = kinds
      const status = yield* Effect.tryPromise({
        try: () => Promise.resolve(subject.status(methodOf[kind], ids[index] ?? "")),
        catch: reasonOf
      }).pipe(
        Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail(silent) }),
        Effect.mapError(
          (reason) =>
            new ReceiverWrong({
              message: `the reported status cannot be read: ${reason}`,
              isHanging: reason === silent
            })
        )
      )
      const reported = typeof status === "string" && isStatus(status) ? status : undefined
      const wrong = options.check?.({ reported, actual: actual[index] ?? [] })
      if (wrong !== undefined) return yield* new ReceiverWrong({ message: wrong })
      return reported
    })

    const deliver = Effect.fnUntraced(function* (step: DeliverStep) {
      const { delivery, index } = step
      const { [index]: kind = "card-payment" } = kinds
      const request = requestOf(kind, (at) => ids[at] ?? "", step)
      if (options.isAnswered === true) {
        yield* expectStatus(subject, request, 200)
        return
      }
      for (let left = delivery.forged === undefined ? maxAttempts : 1; left > 0; left--) {
        const { status } = yield* send(subject, request)
        if (status < 300) return
      }
    })

    const readRepeatedly = Effect.fnUntraced(function* (index: number) {
      for (const gap of readGaps.slice(0, 3)) {
        yield* readStatus(index)
        yield* sleep(subject, gap)
      }
    })

    const take = Effect.fnUntraced(function* (step: CaseStep) {
      if (step._tag === "Send") return yield* send(subject, step.request)
      const { index } = step
      switch (step._tag) {
        case "ChangeStatus":
          actual[index]?.push(step.status)
          return yield* service.move(ids[index] ?? "", step.status)
        case "FailRead":
          return yield* service.fail(kinds[index] ?? "card-payment", step.fault)
        case "Deliver":
          yield* deliver(step)
          if (isForgedEnd(step)) yield* readRepeatedly(index)
          else if (options.check !== undefined) yield* readStatus(index)
      }
    })

    const scheduler = fc.cloneIfNeeded(value.scheduler)
    const isConcurrent = (step: CaseStep) => scheduler !== undefined && step._tag === "Deliver"
    yield* Effect.forEach(
      value.steps.filter((step) => !isConcurrent(step)),
      take,
      { discard: true }
    )
    if (scheduler !== undefined) {
      yield* Effect.forEach(
        value.steps.filter((step) => step._tag === "Deliver"),
        (step) =>
          Effect.andThen(
            Effect.promise(() => scheduler.schedule(Promise.resolve())),
            deliver(step)
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

    const settle = Effect.fnUntraced(function* (index: number) {
      const expected = actual[index]?.at(-1)
      const timeout = Duration.toMillis(
        Duration.fromInputUnsafe(subject.settleTimeout ?? "5 seconds")
      )
      for (let waited = 0, at = 0; ; at++) {
        const reported = yield* readStatus(index)
        const isSettled = isTerminal(expected ?? "NEW")
          ? reported === expected || wasLater(reported, actual[index] ?? [])
          : reported && !isTerminal(reported)
        if (isSettled) return
        if (waited >= timeout) {
          const message = `the service has ${expected}, and the receiver reports ${reported ?? "nothing"}`
          return yield* new ReceiverWrong({ message })
        }
        const gap = readGaps[at] ?? longestGap
        waited += gap
        yield* sleep(subject, gap)
      }
    })
    if (options.isAnswered === true) return
    const finish = options.settles === true ? settle : readRepeatedly
    yield* Effect.forEach(kinds, (_, index) => finish(index), { discard: true })
  },
  (running, { service }) => Effect.ensuring(running, service.clearFaults)
)

type DeliverStep = Extract<CaseStep, { readonly _tag: "Deliver" }>

/** A receiver may keep an earlier status of a higher rank when a chargeback is won. */
const wasLater = (status: Status | undefined, actual: ReadonlyArray<Status>): boolean =>
  status !== undefined && actual.includes(status) && rank(status) > rank(actual.at(-1) ?? status)

const isForgedEnd = ({ delivery: { forged, status } }: DeliverStep): boolean =>
  forged === "status" && isStatus(status) && isTerminal(status)
