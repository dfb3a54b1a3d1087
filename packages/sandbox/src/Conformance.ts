/**
 * Checks the laws of a receiver at any HTTP endpoint, in any language.
 *
 * **Details**
 *
 * The receiver reads from a `Sandbox`. Callbacks are sent to its URL, and the status it reports is
 * read at `{state}/{method}/{transactionId}`: JSON with a `status`, or 404. Without `state` only
 * the laws about responses run.
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
import type { Faults } from "@pawl/testkit/Faults"
import type { Gateway } from "@pawl/testkit/Gateway"
import { closed, codeOf, reasonOf, textOf } from "@pawl/testkit/internal/laws/receiver/ReceiverLaw"
import * as Report from "./internal/conform/Report.ts"
import type * as Laws from "@pawl/testkit/Laws"
import * as Receiver from "@pawl/testkit/Laws/Receiver"

/**
 * The receiver under test, and the service that it reads from.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /** The URL that receives callbacks. */
  readonly url: string
  /** The URL prefix of the statuses that the receiver reports. */
  readonly state?: string | undefined
  /** The origin of the sandbox, such as `http://127.0.0.1:4011`. */
  readonly service: string
  /** The merchant key of the receiver and the sandbox; `sandbox-key` by default. */
  readonly merchantKey?: string | undefined
  /** The secret that signs callbacks. */
  readonly merchantSecret: Redacted.Redacted
  /** Makes the random cases repeatable. */
  readonly seed: number
  /** The time until the receiver reports the service's status; 5 seconds by default. */
  readonly settleTimeout?: Duration.Input | undefined
  /** Runs only these laws, each by its number, a part of its name, `specification` or `pawl`. */
  readonly only?: ReadonlyArray<string> | undefined
}

/**
 * A law and its place in a run.
 *
 * @category models
 * @since 0.1.0
 */
export interface NumberedLaw {
  /** The law. */
  readonly law: Laws.Law<Receiver.Reporting, Receiver.Case>
  /** The number of the law: the same in every run, even if only some laws run. */
  readonly number: number
  /** The origin of the law: the specification, or a decision of pawl. */
  readonly source: "specification" | "pawl"
  /** The subject of the law: HTTP responses, or reported statuses. */
  readonly group: "answers" | "statuses"
}

/**
 * All laws, those of the specification first.
 *
 * @category laws
 * @since 0.1.0
 */
export const laws: ReadonlyArray<NumberedLaw> = (["specification", "pawl"] as const)
  .flatMap((source) =>
    ([...Receiver.answers, ...Receiver.statuses] as typeof Receiver.laws)
      .filter((law) => Report.sourceOf(law) === source)
      .map((law) => ({ law, source }))
  )
  .map(({ law, source }, index) => ({
    law,
    source,
    number: index + 1,
    group: Receiver.answers.some((each) => each === law) ? "answers" : "statuses"
  }))

/**
 * The result of one law.
 *
 * @category models
 * @since 0.1.0
 */
export type Verdict = Report.Verdict

/**
 * Error raised when the receiver cannot be reached or read.
 *
 * @category errors
 * @since 0.1.0
 */
export class CannotStart extends Data.TaggedError("CannotStart")<{
  /** The reason in one sentence. */
  readonly message: string
  /** The code of the connection, such as ECONNREFUSED. */
  readonly code?: string
}> {}

/**
 * The progress of a law.
 *
 * @category models
 * @since 0.1.0
 */
export interface Progress extends NumberedLaw {
  /** The requests that the law has sent. */
  readonly requests: number
}

/**
 * Selects the laws of a run. Fails if a number or name selects none.
 *
 * @category running
 * @since 0.1.0
 */
export const select = Effect.fnUntraced(function* ({
  only = [],
  state
}: Pick<Options, "only" | "state">): Effect.fn.Return<ReadonlyArray<NumberedLaw>, CannotStart> {
  const isSelected = (text: string, { law, number, source }: NumberedLaw) =>
    String(number) === text ||
    source === text ||
    (!/^[0-9]*$/u.test(text) && law.name.toLowerCase().includes(text.toLowerCase()))
  for (const text of only) {
    const found = laws.filter((law) => isSelected(text, law))
    const message =
      found.length === 0
        ? `no law has the number or name of --only ${text}; the laws have numbers from 1 to ${laws.length}, which a run prints`
        : state === undefined && found.every(({ group }) => group === "statuses")
          ? `the laws of --only ${text} are about reported statuses, which need --state URL`
          : undefined
    if (message !== undefined) return yield* new CannotStart({ message })
  }
  return laws.filter(
    (law) =>
      (state !== undefined || law.group === "answers") &&
      (only.length === 0 || only.some((text) => isSelected(text, law)))
  )
})

/**
 * Runs the laws. Calls `onVerdict` after each, and `onProgress` every second while one runs.
 *
 * @category running
 * @since 0.1.0
 */
export const check = Effect.fnUntraced(function* (
  options: Options,
  onVerdict: (verdict: Verdict) => Effect.Effect<void>,
  onProgress: (progress: Progress) => Effect.Effect<void> = () => Effect.void
): Effect.fn.Return<ReadonlyArray<Verdict>, CannotStart, Gateway | Faults> {
  const { merchantSecret: secret, seed, settleTimeout, state, url } = options
  const fetch = yield* FetchHttpClient.Fetch
  const selected = yield* select(options)
  const readStatus = state === undefined ? undefined : statusReader(fetch, state)
  const get = (signal: AbortSignal) =>
    fetch(url, { method: "GET", redirect: "manual", signal }).then(({ body }) => body?.cancel())
  const listens = isListening(get)
  yield* probe(
    get,
    (reason) =>
      `no response from ${url} (${reason}); start your receiver with the base URL ${options.service}/api and run this command again`
  ).pipe(
    // A receiver that fails on GET is still listening.
    Effect.catchIf(
      ({ code = "" }) => closed.includes(code),
      () =>
        Effect.flatMap(listens, (isListening) =>
          isListening
            ? Effect.void
            : Effect.fail(
                new CannotStart({
                  message: `the receiver at ${url} ended when a GET request arrived; no request may end it, so answer 405 to every method but POST`
                })
              )
        )
    )
  )
  yield* probe(
    () => Promise.resolve(readStatus?.("card", "conform-0")),
    (reason) => `the reported status cannot be read at ${state}: ${reason}`
  )
  let requests = 0
  const subject: Receiver.Reporting = {
    secret,
    url,
    settleTimeout,
    send: (request) => {
      requests++
      return fetch(request)
    },
    service: yield* Receiver.service({ merchantKey: options.merchantKey, merchantSecret: secret }),
    status: readStatus ?? (() => undefined)
  }
  const verdicts: Array<Verdict> = []
  for (const numbered of selected) {
    requests = 0
    const progress = Effect.suspend(() => onProgress({ ...numbered, requests }))
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* Effect.raceFirst(
      Effect.result(numbered.law.check(subject, { seed })),
      Effect.forever(Effect.delay(progress, "1 second"))
    )
    const millis = (yield* Clock.currentTimeMillis) - startedAt
    const broken = Result.isFailure(result) ? result.failure : undefined
    const hasEnded = broken !== undefined && !(yield* listens)
    const verdict: Verdict = { ...numbered, millis, broken, hasEnded }
    verdicts.push(verdict)
    yield* onVerdict(verdict)
    if (hasEnded) break
  }
  return verdicts
})

const isListening = (request: (signal: AbortSignal) => Promise<unknown>): Effect.Effect<boolean> =>
  Effect.tryPromise({ try: request, catch: codeOf }).pipe(
    Effect.timeoutOrElse({ duration: "10 seconds", orElse: () => Effect.void }),
    Effect.as(true),
    Effect.catch((code) => Effect.succeed(code !== "ECONNREFUSED"))
  )

const probe = (
  request: (signal: AbortSignal) => Promise<unknown>,
  messageOf: (reason: string) => string
) =>
  Effect.tryPromise({
    try: request,
    catch: (error) => ({ reason: reasonOf(error), code: codeOf(error) })
  }).pipe(
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail({ reason: "no response", code: "" })
    }),
    Effect.mapError(({ code, reason }) => new CannotStart({ message: messageOf(reason), code }))
  )

/** The laws wait for 10 seconds, and say so. */
const requestTimeout = 15_000

const statusReader =
  (fetch: typeof globalThis.fetch, state: string) =>
  (method: Method, transactionId: string): Promise<string | undefined> =>
    fetch(`${state}/${method}/${transactionId}`, {
      signal: AbortSignal.timeout(requestTimeout)
    }).then((response) =>
      textOf(response).then((text) => {
        if (response.status === 404) return undefined
        if (response.status !== 200) throw new Error(`it answers ${response.status}`)
        // The message of a parser quotes the text, whose control characters a terminal obeys.
        const json = Result.try((): unknown => JSON.parse(text))
        if (Result.isFailure(json)) throw new Error("it answers no JSON")
        if (!Predicate.hasProperty(json.success, "status")) throw new Error("it has no status")
        return typeof json.success.status === "string" ? json.success.status : undefined
      })
    )

/**
 * Writes the results as text, with a bash script that repeats the first failure.
 *
 * @category conversions
 * @since 0.1.0
 */
export const report = (verdicts: ReadonlyArray<Verdict>, options: Options): string =>
  Report.text(verdicts, targetOf(options))

/**
 * Writes the results as Markdown, for a job summary.
 *
 * @category conversions
 * @since 0.1.0
 */
export const summary = (verdicts: ReadonlyArray<Verdict>, options: Options): string =>
  Report.markdown(verdicts, targetOf(options))

const targetOf = (options: Options) => ({
  ...options,
  state: options.state,
  merchantKey: options.merchantKey ?? "sandbox-key"
})

/**
 * Writes the results as JUnit XML. `fault` says why not all laws were checked.
 *
 * @category conversions
 * @since 0.1.0
 */
export const junit: (verdicts: ReadonlyArray<Verdict>, fault?: string) => string = Report.xml
