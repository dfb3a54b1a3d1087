/**
 * Checks the laws of a receiver at any HTTP endpoint, in any language.
 *
 * **Details**
 *
 * The receiver reads from a `Sandbox`. Callbacks are sent to its URL, and the status it reports is read at
 * `{state}/{method}/{transactionId}`: JSON with a `status`, or 404. Without `state` only the laws about answers run.
 *
 * `check` runs the laws one after the other. `report` writes the results as text, with a shell script of the first
 * failure. `junit` writes them as XML.
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
import { reasonOf } from "./internal/laws/receiver/ReceiverLaw.ts"
import * as Report from "./internal/laws/receiver/Report.ts"
import type * as Laws from "./Laws.ts"
import * as Receiver from "./Laws/Receiver.ts"

/**
 * The receiver under test, and the service that it reads from.
 *
 * - `url`: the URL that receives callbacks.
 * - `state`: the URL prefix of the statuses that the receiver reports.
 * - `service`: the origin of the sandbox, such as `http://127.0.0.1:4011`.
 * - `merchantKey`, `merchantSecret`: the credentials of both; the key is `sandbox-key` by default.
 * - `seed`: makes the random cases repeatable.
 * - `settleTimeout`: the time until the receiver reports the service's status; 5 seconds by default.
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
  readonly settleTimeout?: Duration.Input | undefined
}

/**
 * The result of one law. `broken` is undefined if the law holds.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = Report.Verdict

/**
 * Error raised when the receiver cannot be reached or read; `message` is one sentence.
 *
 * @category errors
 * @since 0.1.0
 */
export class CannotStart extends Data.TaggedError("CannotStart")<{ readonly message: string }> {}

/**
 * Runs the laws, and calls `onVerdict` after each one.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function* (
  options: Options,
  onVerdict: (verdict: Verdict) => Effect.Effect<void>
): Effect.fn.Return<ReadonlyArray<Verdict>, CannotStart, Gateway | Faults> {
  const { merchantSecret: secret, seed, settleTimeout, state, url } = options
  const fetch = yield* FetchHttpClient.Fetch
  const readStatus = state === undefined ? undefined : statusReader(fetch, state)
  yield* probe(
    () => fetch(url, { method: "GET", redirect: "manual" }),
    (reason) =>
      `no response from ${url} (${reason}); start your receiver with the base URL ${options.service}/api and run this command again`
  )
  yield* probe(
    () => Promise.resolve(readStatus?.("card", "conform-0")),
    (reason) => `the reported status cannot be read at ${state}: ${reason}`
  )
  const answering: Receiver.Answering = {
    secret,
    url,
    settleTimeout,
    send: (request) => fetch(request)
  }
  const service = yield* Receiver.service({
    merchantKey: options.merchantKey,
    merchantSecret: secret
  })
  const checkWith =
    <Subject>(group: Verdict["group"], subject: Subject) =>
    (law: Laws.Law<Subject, Receiver.Case>) =>
      Effect.gen(function* () {
        const startedAt = yield* Clock.currentTimeMillis
        const result = yield* Effect.result(law.check(subject, { seed }))
        const millis = (yield* Clock.currentTimeMillis) - startedAt
        const broken = Result.isFailure(result) ? result.failure : undefined
        const verdict: Verdict = { law, group, millis, broken }
        yield* onVerdict(verdict)
        return verdict
      })
  const verdicts = yield* Effect.forEach(Receiver.answers, checkWith("answers", answering))
  if (readStatus === undefined) return verdicts
  const reporting: Receiver.Reporting = { ...answering, service, status: readStatus }
  return [
    ...verdicts,
    ...(yield* Effect.forEach(Receiver.statuses, checkWith("statuses", reporting)))
  ]
})

/** Sends one request before the laws run, so that a wrong URL is reported as such. */
const probe = (request: () => Promise<unknown>, messageOf: (reason: string) => string) =>
  Effect.tryPromise({ try: request, catch: reasonOf }).pipe(
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.fail("no response") }),
    Effect.mapError((reason) => new CannotStart({ message: messageOf(reason) }))
  )

const statusReader =
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
 * Writes the results as text: the number of laws that hold, the first failure with a bash script that repeats it, and
 * the next step.
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
 * Writes the results as JUnit XML.
 *
 * @category conversions
 * @since 0.1.0
 */
export const junit: (verdicts: ReadonlyArray<Verdict>) => string = Report.xml
