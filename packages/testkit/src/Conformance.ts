/**
 * The laws of a receiver at any HTTP endpoint, in any language.
 *
 * **Details**
 *
 * The receiver reads from a service that is here, a `Sandbox`; callbacks are sent to its URL, and what it
 * believes is read at `{state}/{method}/{transactionId}`, JSON with a `status`, or 404. Without `state` only
 * the laws about answers are run.
 *
 * `check` runs the laws one after the other; `report` lays out what came of them, with the first break as a
 * shell script; `junit` writes the same for a machine.
 *
 * @since 0.1.0
 */
import type { Method } from "@pawl/core/Kind"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Predicate from "effect/Predicate"
import type * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import type { Faults } from "./Faults.ts"
import type { Gateway } from "./Gateway.ts"
import * as Report from "./internal/laws/ConformanceReport.ts"
import { reason } from "./internal/laws/receiver/ReceiverLaw.ts"
import type * as Laws from "./Laws.ts"
import * as Receiver from "./Laws/Receiver.ts"

/**
 * What is put to the test, and how hard.
 *
 * - `url`: where callbacks are sent to.
 * - `state`: where it tells what it believes.
 * - `service`: the origin of the sandbox it reads from, such as `http://127.0.0.1:4011`.
 * - `merchantKey`, `merchantSecret`: the credentials of both; the key is `sandbox-key` unless given.
 * - `seed`: makes what is drawn repeatable.
 * - `patience`: how long it may take to believe what it was told; 5 seconds unless given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  readonly url: string
  readonly state?: string | undefined
  readonly service: string
  readonly merchantKey?: string | undefined
  readonly merchantSecret: Redacted.Redacted
  readonly seed: number
  readonly patience?: Duration.Input | undefined
}

/**
 * What came of one law.
 *
 * @category models
 * @since 0.1.0
 */
export interface Verdict {
  readonly law: Laws.About
  readonly about: "answers" | "beliefs"
  readonly millis: number
  readonly broken: Laws.LawBroken | undefined
}

/**
 * Error raised when there is nothing to put to the test; `message` is one sentence.
 *
 * @category errors
 * @since 0.1.0
 */
export class NothingThere extends Data.TaggedError("NothingThere")<{ readonly message: string }> {}

/**
 * Runs the laws, and tells of each when it is done.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function* (
  options: Options,
  tell: (verdict: Verdict) => Effect.Effect<void>
): Effect.fn.Return<ReadonlyArray<Verdict>, NothingThere, Gateway | Faults> {
  const { merchantSecret: secret, patience, seed, state, url } = options
  const fetch = yield* FetchHttpClient.Fetch
  const read = state === undefined ? undefined : stateAt(fetch, state)
  yield* there(
    () => fetch(url, { method: "GET", redirect: "manual" }),
    (why) =>
      `nothing answers at ${url} (${why}); start your receiver with ${options.service}/api for its service, and this again`
  )
  yield* there(
    () => Promise.resolve(read?.("card", "conform-0")),
    (why) => `what is believed cannot be read at ${state}: ${why}`
  )
  const answering: Receiver.Answering = { secret, url, patience, send: (request) => fetch(request) }
  const service = yield* Receiver.service({
    merchantKey: options.merchantKey,
    merchantSecret: secret
  })
  const judge =
    <Subject>(about: Verdict["about"], subject: Subject) =>
    (law: Laws.Law<Subject, Receiver.Case>) =>
      Effect.gen(function* () {
        const began = yield* Clock.currentTimeMillis
        const result = yield* Effect.result(law.check(subject, { seed }))
        const millis = (yield* Clock.currentTimeMillis) - began
        const broken = Result.isFailure(result) ? result.failure : undefined
        const verdict: Verdict = { law, about, millis, broken }
        yield* tell(verdict)
        return verdict
      })
  const told = yield* Effect.forEach(Receiver.answers, judge("answers", answering))
  if (read === undefined) return told
  const believing: Receiver.Believing = { ...answering, service, state: read }
  return [...told, ...(yield* Effect.forEach(Receiver.beliefs, judge("beliefs", believing)))]
})

/** Asks for something once, before anything is made of it. */
const there = (ask: () => Promise<unknown>, say: (why: string) => string) =>
  Effect.tryPromise({ try: ask, catch: reason }).pipe(
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail("no answer") }),
    Effect.mapError((why) => new NothingThere({ message: say(why) }))
  )

const stateAt =
  (fetch: typeof globalThis.fetch, state: string) =>
  (method: Method, transactionId: string): Promise<string | undefined> =>
    fetch(`${state}/${method}/${transactionId}`).then((response) =>
      response.text().then((text) => {
        if (response.status === 404) return undefined
        if (response.status !== 200) throw new Error(`it answers ${response.status}`)
        const json: unknown = JSON.parse(text)
        if (!Predicate.hasProperty(json, "status")) throw new Error("it has no status")
        return typeof json.status === "string" ? json.status : undefined
      })
    )

/**
 * Lays out what came of the laws: how many hold, the first break with the script that plays it again in
 * bash, and what to do next.
 *
 * @category conversions
 * @since 0.1.0
 */
export const report = (verdicts: ReadonlyArray<Verdict>, options: Options): string =>
  Report.text(verdicts, {
    ...options,
    state: options.state,
    merchantKey: options.merchantKey ?? "sandbox-key"
  })

/**
 * Writes what came of the laws as JUnit's XML.
 *
 * @category conversions
 * @since 0.1.0
 */
export const junit: (verdicts: ReadonlyArray<Verdict>) => string = Report.xml
