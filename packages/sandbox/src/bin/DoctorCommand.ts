/**
 * The command `doctor`: asks a real service about the points that its specification leaves open.
 *
 * The report is on stdout, all else on stderr. `--out` is a folder for `fixtures.json`, the
 * recording that a later run continues or is compared with, `profile.json` for a sandbox,
 * `profile.ts` for a program, and the report as Markdown. Exits with 0 only if every verdict is
 * `agrees` or `borne`, and nothing has changed since the fixtures of `--against`.
 */
import * as RequestId from "@pawl/core/internal/RequestId"
import * as NodeTransport from "@pawl/http/NodeTransport"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as ProgressLine from "@pawl/webhook/internal/ProgressLine"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Doctor from "../Doctor.ts"
import * as Readings from "../Readings.ts"
import * as CallbackPort from "./CallbackPort.ts"
import * as Flags from "./Flags.ts"
import * as ProfileFile from "./ProfileFile.ts"
import * as SandboxTime from "./SandboxTime.ts"
import * as TlsConnection from "./TlsConnection.ts"

const flags = {
  baseUrl: Flag.String("base-url").pipe(
    Flag.withFallbackConfig(Config.String("PAWL_BASE_URL")),
    Flags.asBaseUrl("https://sandbox.example/api"),
    Flag.withDescription("The base URL of the service, which ends in /api; or set PAWL_BASE_URL")
  ),
  merchantKey: Flag.String("merchant-key").pipe(
    Flag.withFallbackConfig(Config.String("PAWL_MERCHANT_KEY")),
    Flag.withDescription("The merchant key; or set PAWL_MERCHANT_KEY (our sandbox: sandbox-key)"),
    Flag.optional
  ),
  callbackUrl: Flag.String("callback-url").pipe(
    Flag.filter(
      (url) => Flags.isHttp(url) && !/[?#]/u.test(url),
      () => "Expected a URL without a query, such as https://tunnel.example/callback"
    ),
    Flag.withDescription(
      "The public URL that leads to --listen; a service on this machine needs none"
    ),
    Flag.optional
  ),
  listen: Flags.int(
    "listen",
    Flags.port,
    0,
    "The port of the receiver that the doctor opens (default: a free one)"
  ),
  accountId: Flags.text("account", "4711", "The accountId of APM operations"),
  mid: Flags.text("mid", "4711", "The mid of card operations"),
  paymentMethod: Flags.text("payment-method", "WALLET", "The paymentMethod of APM operations"),
  currency: Flags.text("currency", "EUR", "The currency"),
  units: Flags.int(
    "units",
    [1, 100],
    1,
    "The major units of every amount (default: 1, so that most are 1.10)"
  ),
  wait: Flags.duration(
    "wait",
    "7m",
    "The longest time to wait for callbacks; 63m sees all repeats (default: 7m, with --fast 63m)"
  ).pipe(Flag.optional),
  isFast: Flags.toggle("fast", "Advances the clock of our sandbox instead of waiting"),
  token: Flags.token("The token of our sandbox for --fast"),
  isPlan: Flags.toggle("plan", "Prints the steps, the budget and the questions, and sends nothing"),
  isMarkdown: Flags.toggle("markdown", "Prints the report as Markdown"),
  against: Flags.optionalText(
    "against",
    "The fixtures of an earlier run: reports the changes since"
  ),
  profile: Flags.profile("The profile that your program runs with: its readings are assumed"),
  out: Flags.text("out", "pawl-doctor", "The folder for the fixtures, the profile and the report"),
  isNew: Flags.toggle("new", "Begins again, although the last run was not finished"),
  isProduction: Flags.toggle(
    "production",
    "Allows a production service, with --production-host too"
  ),
  productionHost: Flags.optionalText(
    "production-host",
    "The host of the production service, once more"
  )
}

const waiting = Effect.fnUntraced(function* (duration: Duration.Duration) {
  yield* Console.error(`       waits ${Duration.format(duration)}`)
  const clock = yield* Clock.Clock
  const end = clock.currentTimeMillisUnsafe() + Duration.toMillis(duration)
  const left = () => Math.round((end - clock.currentTimeMillisUnsafe()) / 1000)
  yield* Effect.sleep(duration).pipe(
    ProgressLine.during(() => `       ${Duration.format(Duration.seconds(left()))} left`)
  )
})

/**
 * A secret of a real service has no flag: every user of a machine can read the arguments of its
 * processes.
 */
const testCard = Config.Redacted("PAWL_TEST_CARD").pipe(
  Config.withDefault(Redacted.make("4242424242424242"))
)

const declinedCard = Config.Redacted("PAWL_TEST_CARD_DECLINED").pipe(
  Config.withDefault(Redacted.make("4000000000000002"))
)

const readRecording = (file: string) =>
  ProfileFile.read(file, Doctor.Recording, "the fixtures of a run")

const beginsAgain = ({ message }: ProfileFile.FileFault) =>
  new ProfileFile.FileFault({ message: `${message}; --new makes all transactions again` })

const refuse = (message: string) => Effect.fail(new ProfileFile.FileFault({ message }))

/** Returns a credential. Its default is our sandbox's, for a service on this machine. */
const credential = <A>(given: Option.Option<A>, ours: A, isLocal: boolean, variable: string) =>
  Option.isSome(given)
    ? Effect.succeed(given.value)
    : isLocal
      ? Effect.succeed(ours)
      : refuse(`the service needs credentials; set ${variable}`)

const moduleOf = (switches: object): string =>
  `import * as Profile from "@pawl/core/Profile"\n\nexport const layer = Profile.layer(${JSON.stringify(switches, undefined, 2)})`

export const doctor = Command.make("doctor", flags, (input) =>
  Effect.gen(function* () {
    const { baseUrl, currency, isFast, out, units } = input
    const format: Doctor.Format = input.isMarkdown
      ? "markdown"
      : { width: process.stdout.columns ?? 140 }
    if (input.isPlan) return yield* Console.log(Doctor.report.plan(units, currency, format))
    const refusal = Doctor.refusal(
      baseUrl,
      input.isProduction ? Option.getOrUndefined(input.productionHost) : undefined
    )
    if (refusal !== undefined) return yield* refuse(refusal)
    const isLocal = Doctor.isLocal(baseUrl)
    const merchantKey = yield* credential(
      input.merchantKey,
      "sandbox-key",
      isLocal,
      "PAWL_MERCHANT_KEY"
    )
    const merchantSecret = yield* credential(
      yield* Config.option(Config.Redacted("PAWL_MERCHANT_SECRET")),
      Redacted.make("sandbox-secret"),
      isLocal,
      "PAWL_MERCHANT_SECRET"
    )
    const against = Option.isNone(input.against)
      ? undefined
      : yield* readRecording(input.against.value)
    const assumed: Readings.Readings = Option.isNone(input.profile)
      ? {}
      : (yield* ProfileFile.profile(input.profile.value)).readings
    const time = isFast
      ? yield* SandboxTime.make(baseUrl, input.token)
      : { pause: waiting, now: Clock.currentTimeMillis }

    yield* OwnFile.makeDirectory("--out", out)
    const write = (name: string, content: string) => OwnFile.write(`${out}/${name}`, `${content}\n`)

    // The receiver opens before its URL is known, and the run needs the URL.
    const receiver: { receive: Doctor.Run["receive"] } = { receive: () => Effect.succeed(503) }
    const origin = yield* CallbackPort.open("127.0.0.1", input.listen, (incoming) =>
      receiver.receive(incoming)
    )
    const callbackUrl = Option.getOrElse(input.callbackUrl, () =>
      isLocal ? `${origin}/callback` : undefined
    )
    const settings: Doctor.Settings = {
      ...input,
      ...time,
      merchantKey,
      merchantSecret,
      callbackUrl,
      card: yield* testCard,
      declinedCard: yield* declinedCard,
      wait: Option.getOrElse(input.wait, () => Duration.minutes(isFast ? 63 : 7)),
      separator: /^"(.*)", /u.exec(assumed.checksum ?? "")?.[1] ?? "|"
    }
    const fixtures = `${out}/fixtures.json`
    const last =
      (yield* OwnFile.check(fixtures)) && !input.isNew
        ? Option.some(yield* Effect.mapError(readRecording(fixtures), beginsAgain))
        : Option.none()
    // A run makes transactions after its first step.
    const unfinished = Option.filter(
      last,
      ({ steps }) => steps.length > 0 && steps.length < Doctor.plan.length
    )
    if (Option.isSome(unfinished)) {
      const other = unfinished.value
      if (other.baseUrl !== baseUrl || other.units !== units) {
        return yield* refuse(
          `${fixtures} has an unfinished run with --base-url ${other.baseUrl} --units ${other.units}; finish it, give another --out, or --new to replace it`
        )
      }
    }
    const recording = Option.isSome(unfinished)
      ? unfinished.value
      : Doctor.blank((yield* RequestId.make).slice(0, 18), settings)
    const connection = yield* TlsConnection.describe(baseUrl)

    yield* Console.error(`${Doctor.report.budget(units, currency)}, at ${baseUrl}`)
    if (Option.isSome(unfinished)) {
      yield* Console.error(`Goes on after ${recording.steps.length} of ${Doctor.plan.length} steps`)
    }
    if (callbackUrl === undefined) {
      yield* Console.error("Without --callback-url no callback reaches the doctor")
    }
    const probe = yield* Doctor.make(settings, {
      ...recording,
      ...(connection !== undefined && { connection })
    })
    receiver.receive = probe.receive
    let { length: saved } = recording.steps
    const result = yield* probe
      .run({
        begins: ({ does, name }) => {
          const number = Doctor.plan.findIndex((step) => step.name === name) + 1
          return Console.error(
            `${String(number).padStart(2)}/${Doctor.plan.length}  ${name}: ${does}`
          )
        },
        saved: (recording) => {
          saved = recording.steps.length
          return write("fixtures.json", JSON.stringify(recording, undefined, 2))
        }
      })
      .pipe(
        Effect.onInterrupt(() =>
          Console.error(
            `Interrupted: ${saved} of ${Doctor.plan.length} steps are in ${out}; run the command again to go on.`
          )
        )
      )
    yield* Console.error("")
    const findings = Doctor.findings(result, assumed)
    const profile = { service: baseUrl, ...Doctor.profile(result) }
    const reads = Doctor.reads(result, profile.switches)
    const rehearsal = yield* Doctor.rehearse(profile)
    const report = (format: Doctor.Format) =>
      [
        Doctor.report.findings(findings, result, format),
        Doctor.report.checks("pawl reads with this profile", reads, format),
        Doctor.report.checks("Rehearsed in memory with this profile", rehearsal, format)
      ].join("\n\n")
    yield* write("profile.json", JSON.stringify(profile, undefined, 2))
    yield* write("profile.ts", moduleOf(profile.switches))
    yield* write("report.md", report("markdown"))
    yield* Console.log(report(format))
    for (const reading of Readings.unknown(profile.readings)) {
      yield* Console.error(`The rehearsal left out ${reading}, because no sandbox can do that`)
    }
    yield* Console.error(`\n${out} has fixtures.json, profile.json, profile.ts and report.md`)
    if (against !== undefined) {
      const changes = Doctor.changes(against, result)
      yield* Console.log(`\n${Doctor.report.drift(changes, format)}`)
      if (changes.length > 0) return yield* new CommandOutput.Reported()
    }
    if (!Doctor.isSound(findings, [...reads, ...rehearsal]))
      return yield* new CommandOutput.Reported()
  }).pipe(
    Effect.scoped,
    Effect.provide(NodeTransport.layer),
    Effect.catchIf(
      (error) => error._tag !== "Reported",
      (error) => CommandOutput.report(`The service cannot be probed: ${error.message}`)
    )
  )
).pipe(
  Command.withDescription(
    "Asks a real service about the points its specification leaves open. Also read: PAWL_MERCHANT_SECRET (our sandbox: sandbox-secret), PAWL_TEST_CARD (4242424242424242), PAWL_TEST_CARD_DECLINED (4000000000000002)"
  ),
  CommandOutput.example(
    "--base-url http://127.0.0.1:4010/api --fast",
    "Asks a sandbox, and advances its clock"
  )
)
