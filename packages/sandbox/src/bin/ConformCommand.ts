/**
 * The command `pawl-conform`: checks the laws of a receiver at a URL, and exits with 0 if all hold.
 *
 * Stdout has each result, then the first failure and a script that repeats it. Logs go to stderr. A
 * sandbox at `--api-port` stands in for the service. An interrupted run reports the checked laws.
 */
import * as Argument from "effect/cli/Argument"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as FileSystem from "effect/FileSystem"
import * as Conformance from "../Conformance.ts"
import * as Sandbox from "../Sandbox.ts"
import * as Flags from "./Flags.ts"

const isHttp = (text: string): boolean => Flags.isHttp(text) && !text.includes("#")

const url = Argument.String("url").pipe(
  Argument.filter(
    isHttp,
    () => "Expected the URL that receives callbacks, such as http://127.0.0.1:4020/callback"
  ),
  Argument.withDescription("Required: the URL at which your receiver takes callbacks")
)

const flags = {
  merchantKey: Flags.text("merchant-key", "sandbox-key", "The merchant key of your receiver"),
  merchantSecret: Flags.merchantSecret("The merchant secret of your receiver"),
  apiPort: Flags.int(
    "api-port",
    Flags.port,
    4011,
    "The port of the stubbed service: start your receiver with the base URL http://127.0.0.1:4011/api (default: 4011)"
  ),
  state: Flag.String("state").pipe(
    Flag.filter(
      (text) => isHttp(text) && !text.includes("?"),
      () => "Expected a URL without a query, such as http://127.0.0.1:4021/transactions"
    ),
    Flag.withDescription(
      "The URL prefix of the statuses that your receiver reports: {state}/{method}/{transactionId} is JSON with a status, or 404"
    ),
    Flag.optional
  ),
  settleTimeout: Flag.Int("settle-timeout").pipe(
    Flag.withAlias("patience"),
    Flag.filter(
      (seconds) => seconds > 0,
      () => "Expected a number of seconds above 0"
    ),
    Flag.withDescription(
      "The seconds until your receiver reports the status of the service (default: 20)"
    ),
    Flag.withDefault(20)
  ),
  only: Flag.String("only").pipe(
    Flag.filter(
      (text) => text !== "",
      () => "Expected the number of a law, or a part of its name"
    ),
    Flag.withDescription(
      "Runs only the laws with this number or this part of a name; or all of the specification, or of pawl; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Repeats the random cases of an earlier run"),
    Flag.optional
  ),
  junit: Flags.optionalText("junit", "The file for a JUnit XML report"),
  summary: Flags.optionalText(
    "summary",
    "The file for a summary in Markdown, such as $GITHUB_STEP_SUMMARY"
  )
}

const lineOf = ({ broken, law, millis, number }: Conformance.Verdict): string =>
  `${String(number).padStart(4)}  ${broken === undefined ? "✓" : "✗"} ${law.name} (${(millis / 1000).toFixed(1)} s)`

const progressOf = ({ law, requests }: Conformance.Progress, left: number): string =>
  `   … ${left} left: ${law.name}, ${requests} requests`

const headings = {
  specification: "Laws of the specification",
  pawl: "Laws of pawl, where the specification is silent"
}

const printer = () => {
  let heading: string | undefined
  return (
    { source }: Pick<Conformance.NumberedLaw, "source">,
    line: string
  ): Effect.Effect<void> => {
    const last = heading
    heading = headings[source]
    return Effect.andThen(
      Effect.sync(ProgressLine.clear),
      Console.log(last === heading ? line : `\n${heading}\n${line}`)
    )
  }
}

const write = (file: Option.Option<string>, text: string) =>
  Option.isNone(file)
    ? Effect.void
    : Effect.andThen(
        OwnFile.check(file.value),
        Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(file.value, text))
      )

/** The help and the completions say `name`. */
export const make = (name: string) =>
  Command.make(name, { url, ...flags }, (input) =>
    Effect.gen(function* () {
      const { junit, merchantKey, only, summary } = input
      const merchantSecret = Option.getOrElse(input.merchantSecret, () =>
        Redacted.make("sandbox-secret")
      )
      const state = Option.getOrUndefined(input.state)?.replace(/\/$/u, "")
      const { length: count } = yield* Conformance.select({ only, state })
      // A path that cannot be written fails at once.
      yield* write(junit, "")
      yield* write(summary, "")
      // No earlier run has used these identifiers.
      const firstId = yield* Clock.currentTimeMillis
      const seed = Option.getOrElse(input.seed, () => firstId % 1_000_000)
      const service = Sandbox.layer({
        port: input.apiPort,
        merchantKey,
        merchantSecret,
        firstId,
        pace: "1 hour"
      })
      yield* Effect.gen(function* () {
        const { baseUrl } = yield* Sandbox.Sandbox
        const options: Conformance.Options = {
          url: input.url,
          state,
          service: baseUrl.replace(/\/api$/u, ""),
          merchantKey,
          merchantSecret,
          seed,
          only,
          settleTimeout: Duration.seconds(input.settleTimeout)
        }
        const secret = Option.isNone(input.merchantSecret) ? ", the sandbox's merchant secret" : ""
        yield* Console.log(
          `Receiver ${input.url}, service ${baseUrl}, key ${merchantKey}${secret}, seed ${seed}`
        )
        const print = printer()
        const verdicts: Array<Conformance.Verdict> = []
        const report = Effect.suspend(() =>
          Console.log(`\n${Conformance.report(verdicts, options)}`)
        )
        yield* Conformance.check(
          options,
          (verdict) => {
            verdicts.push(verdict)
            return print(verdict, lineOf(verdict))
          },
          (progress) =>
            Effect.sync(() => ProgressLine.show(progressOf(progress, count - verdicts.length)))
        ).pipe(
          Effect.ensuring(Effect.sync(ProgressLine.clear)),
          Effect.onInterrupt(() => {
            const fault = `Interrupted: ${verdicts.length} of ${count} laws were checked.`
            return Effect.all([
              Console.log(`\n${fault}`),
              verdicts.length === 0 ? Effect.void : report,
              Effect.ignore(write(junit, Conformance.junit(verdicts, fault)))
            ])
          })
        )
        yield* report
        yield* write(junit, Conformance.junit(verdicts))
        yield* write(summary, Conformance.summary(verdicts, options))
        if (verdicts.some(({ broken }) => broken !== undefined))
          return yield* new CommandOutput.Reported()
      }).pipe(Effect.provide(service))
    }).pipe(
      Effect.catchIf(
        (error) => error._tag !== "Reported",
        (error) => {
          const fault = `The laws cannot run: ${reasonOf(error)}`
          return Effect.andThen(
            Effect.ignore(write(input.junit, Conformance.junit([], fault))),
            CommandOutput.report(fault)
          )
        }
      )
    )
  ).pipe(
    Command.withDescription(
      "Checks the laws of a receiver at a URL, in any language; docs/conform-laws.md has a picture of each law"
    ),
    CommandOutput.example(
      "http://127.0.0.1:4020/callback --state http://127.0.0.1:4021/transactions",
      "Also checks the statuses that the receiver reports"
    )
  )

export const conform = make("conform")

const reasonOf = (error: { readonly _tag: string; readonly message: string }): string =>
  error._tag === "CannotListen"
    ? `${error.message} (with --api-port, and start your receiver with it)`
    : error._tag === "PlatformError"
      ? `the file of --junit or --summary cannot be written (${error.message})`
      : error.message
