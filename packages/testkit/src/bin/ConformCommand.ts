/**
 * The laws of a receiver, run at a URL: ends with 0 when all hold.
 *
 * What holds is told on stdout as it is known, then what does not, and how to see it again; logs go to
 * stderr. The service is stubbed at `--api-port`.
 *
 * @since 0.1.0
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Argument from "effect/cli/Argument"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as FileSystem from "effect/FileSystem"
import { createRequire } from "node:module"
import * as Conformance from "../Conformance.ts"
import * as Sandbox from "../Sandbox.ts"

const { version } = createRequire(import.meta.url)("../../package.json") as {
  readonly version: string
}

const isHttp = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/u.test(url.protocol) && url.hash === ""
}

const url = Argument.String("url").pipe(
  Argument.filter(
    isHttp,
    () => "Expected the URL that callbacks go to, such as http://127.0.0.1:4020/callback"
  ),
  Argument.withDescription("Where your receiver takes callbacks")
)

const flags = {
  merchantKey: Flag.String("merchant-key").pipe(
    Flag.withDescription("The key your receiver logs in with (default: sandbox-key)"),
    Flag.withDefault("sandbox-key")
  ),
  merchantSecret: Flag.Redacted("merchant-secret").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_MERCHANT_SECRET")),
    Flag.filter(
      (text) => Redacted.value(text) !== "",
      () => "Expected a secret that is not empty"
    ),
    Flag.withDescription("The secret it verifies callbacks with; PAWL_MERCHANT_SECRET does as well")
  ),
  apiPort: Flag.Int("api-port").pipe(
    Flag.filter(
      (port) => port >= 0 && port <= 65_535,
      () => "Expected a port from 0 to 65535"
    ),
    Flag.withDescription(
      "The port to stub the service at: start your receiver with http://127.0.0.1:4011/api (default: 4011)"
    ),
    Flag.withDefault(4011)
  ),
  state: Flag.String("state").pipe(
    Flag.filter(isHttp, () => "Expected a URL such as http://127.0.0.1:4020/transactions"),
    Flag.withDescription(
      "Where it tells what it believes: {state}/{method}/{transactionId} is JSON with a status, or 404"
    ),
    Flag.optional
  ),
  patience: Flag.Int("patience").pipe(
    Flag.filter(
      (seconds) => seconds > 0,
      () => "Expected a number of seconds above 0"
    ),
    Flag.withDescription("The seconds it may take to believe what it was told (default: 5)"),
    Flag.withDefault(5)
  ),
  seed: Flag.Int("seed").pipe(Flag.withDescription("Draws the same cases again"), Flag.optional),
  junit: Flag.String("junit").pipe(
    Flag.withDescription("The file to write JUnit's XML to"),
    Flag.optional
  )
}

/** Fails a process whose user was told why already. */
class Reported extends Data.TaggedError("Reported") {
  override readonly [Runtime.errorReported] = false
}

const line = ({ broken, law, millis }: Conformance.Verdict): string =>
  `  ${broken === undefined ? "✓" : "✗"} ${law.name} (${(millis / 1000).toFixed(1)} s)`

const headings = {
  answers: "What it answers",
  beliefs: "What it believes"
}

/** Tells of each law as it is done, under the heading of its kind. */
const telling = () => {
  let heading: string | undefined
  return (verdict: Conformance.Verdict): Effect.Effect<void> => {
    const last = heading
    heading = headings[verdict.about]
    return Console.log(last === heading ? line(verdict) : `\n${heading}\n${line(verdict)}`)
  }
}

const conform = Command.make("conform", { url, ...flags }, (given) =>
  Effect.gen(function* () {
    const { junit, merchantKey, merchantSecret } = given
    const files = yield* FileSystem.FileSystem
    const write = (xml: string) =>
      Option.isNone(junit) ? Effect.void : files.writeFileString(junit.value, xml)
    // Known before the laws are run, not after.
    yield* write("")
    // Identifiers that no earlier run has used.
    const firstId = yield* Clock.currentTimeMillis
    const seed = Option.getOrElse(given.seed, () => firstId % 1_000_000)
    const service = Sandbox.layer({
      port: given.apiPort,
      merchantKey,
      merchantSecret,
      firstId,
      pace: "1 hour"
    })
    yield* Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const options: Conformance.Options = {
        url: given.url,
        state: Option.getOrUndefined(given.state)?.replace(/\/$/u, ""),
        service: baseUrl.replace(/\/api$/u, ""),
        merchantKey,
        merchantSecret,
        seed,
        patience: Duration.seconds(given.patience)
      }
      yield* Console.log(`${given.url}, whose service is ${baseUrl}, seed ${seed}`)
      const verdicts = yield* Conformance.check(options, telling())
      yield* Console.log(`\n${Conformance.report(verdicts, options)}`)
      yield* write(Conformance.junit(verdicts))
      if (verdicts.some(({ broken }) => broken !== undefined)) return yield* new Reported()
    }).pipe(Effect.provide(service))
  }).pipe(
    Effect.catchIf(
      (error) => error._tag !== "Reported",
      (error) =>
        Effect.andThen(
          Console.error(`It cannot be tried: ${reason(error, given.apiPort)}`),
          Effect.fail(new Reported())
        )
    )
  )
).pipe(Command.withDescription("The laws of a receiver, at a URL, in any language"))

const reason = (
  error: { readonly _tag: string; readonly message: string; readonly cause?: unknown },
  port: number
): string =>
  error._tag === "ServeError" && Predicate.hasProperty(error.cause, "code")
    ? `port ${port} cannot be had (${String(error.cause.code)}); stop what runs there, or choose another with --api-port and start your receiver with it`
    : error._tag === "PlatformError"
      ? `the file of --junit cannot be written (${error.message})`
      : error.message

/** One sentence about what is wrong first; what is wrong next may be the value of a misspelt flag. */
const output = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(event.errors[0]?.message.replace(/\s+/gu, " "))
      : CliOutput.defaultPresenter.present(event)
})

Command.run(conform, { version }).pipe(
  Effect.provide([NodeServices.layer, output]),
  Effect.provideService(Logger.LogToStderr, true),
  NodeRuntime.runMain
)
