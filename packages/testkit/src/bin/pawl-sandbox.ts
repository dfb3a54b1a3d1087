#!/usr/bin/env node
/**
 * The sandbox as a command: serves until it is told to stop.
 *
 * Prints one line on stdout once it serves, `ready http://127.0.0.1:4010/api`; everything else goes to
 * stderr. SIGTERM and SIGINT end it with 130.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Runtime from "effect/Runtime"
import { isLoopback } from "../internal/Loopback.ts"
import * as Sandbox from "../Sandbox.ts"

const units: Readonly<Record<string, (amount: number) => Duration.Duration>> = {
  ms: Duration.millis,
  s: Duration.seconds,
  m: Duration.minutes,
  h: Duration.hours
}

/** Reads `200ms`, `1.5s`, `2m` and `1h`, and what Effect takes for a duration: `200 millis`. */
const parseDuration = (text: string): Option.Option<Duration.Duration> => {
  const [, amount, unit = ""] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/u.exec(text) ?? []
  const make = units[unit]
  const duration =
    make === undefined
      ? Duration.fromInput(text as Duration.Input)
      : Option.some(make(Number(amount)))
  return Option.filter(duration, (given) => Duration.isFinite(given) && !Duration.isNegative(given))
}

const flags = {
  port: Flag.Int("port").pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "Expected a port from 0 to 65535"
    ),
    Flag.withDescription("The port to serve on; 0 takes a free one"),
    Flag.withDefault(4010)
  ),
  host: Flag.String("host").pipe(
    Flag.filter(
      isLoopback,
      () => "Expected a loopback address, because nothing but that keeps others out of the sandbox"
    ),
    Flag.withDescription("The loopback address to bind"),
    Flag.withDefault("127.0.0.1")
  ),
  merchantKey: Flag.String("merchant-key").pipe(
    Flag.withDescription("The key of the one merchant"),
    Flag.withDefault("sandbox-key")
  ),
  merchantSecret: Flag.Redacted("merchant-secret").pipe(
    Flag.withDescription("Its secret; sandbox-secret unless given"),
    Flag.optional
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("Makes what is left to chance repeatable"),
    Flag.optional
  ),
  pace: Flag.String("pace").pipe(
    Flag.filterMap(parseDuration, () => "Expected a duration such as 200ms"),
    Flag.withDescription("The time between two moves of a transaction"),
    Flag.withDefault(Duration.millis(200))
  )
}

const sandbox = Command.make("sandbox", flags, ({ merchantSecret, seed, ...options }) =>
  Layer.effectDiscard(
    Effect.flatMap(Sandbox.Sandbox, ({ baseUrl }) => Console.log(`ready ${baseUrl}`))
  ).pipe(
    Layer.provide(
      Sandbox.layer({
        ...options,
        merchantSecret: Option.getOrUndefined(merchantSecret),
        seed: Option.getOrUndefined(seed)
      })
    ),
    Layer.launch,
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.andThen(
        Console.error(`The sandbox cannot serve: ${reason(cause)}`),
        Effect.fail(new Reported())
      )
    )
  )
).pipe(Command.withDescription("The payments service, on a port of this machine"))

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Fails a process whose user was told why already. */
class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

/**
 * One sentence about what is wrong first, and the help only for who asks for it. What is wrong next may
 * be the value of a misspelt flag, a secret perhaps.
 */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

Command.run(sandbox, { version: "0.1.0" }).pipe(
  Effect.provide([NodeServices.layer, output]),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
