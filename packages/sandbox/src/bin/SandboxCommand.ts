/**
 * The sandbox as a command.
 *
 * Stdout has one line once it serves, `ready http://127.0.0.1:4010/api`; stderr has the report.
 * SIGTERM, SIGINT and SIGHUP end it with 0. Modules that only some starts need are loaded then.
 */
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Program from "@pawl/webhook/internal/Program"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sandbox from "../Sandbox.ts"
import * as Flags from "./Flags.ts"
import type { InvalidConfig } from "@pawl/http/PawlConfig"
import type { FileFault } from "./ProfileFile.ts"
import type * as SandboxReport from "./SandboxReport.ts"
import { trigger } from "./TriggerCommand.ts"

const flags = {
  program: Program.argument,
  port: Flags.int(
    "port",
    Flags.port,
    4010,
    "The port to serve on; 0 takes a free one (default: 4010)"
  ),
  host: Flags.text(
    "host",
    "127.0.0.1",
    "The address to bind; any address but loopback needs PAWL_SANDBOX_TOKEN"
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_SANDBOX_TOKEN")),
    Flag.filter(
      (token) => /^[\x21-\x7e]+$/u.test(Redacted.value(token)),
      () => "Expected a token in ASCII without white space"
    ),
    Flag.withDescription("The bearer token that /sandbox requires; or set PAWL_SANDBOX_TOKEN"),
    Flag.optional
  ),
  allowCallbacks: Flag.String("allow-callback").pipe(
    Flag.filter(
      (host) => /^(?:\[[\da-f:]+\]|[^/\s:@]+)(?::\d+)?$/iu.test(host),
      () => "Expected a host, such as shop.example or 10.0.0.7:8080"
    ),
    Flag.withDescription(
      "A host that callbacks may be sent to besides this machine; may be repeated"
    ),
    Flag.atLeast(0)
  ),
  merchantKey: Flag.String("merchant-key").pipe(
    Flag.filter(Flags.isSound, () => "Expected a key that is not empty, without spaces around it"),
    Flag.withDescription("The merchant key (default: sandbox-key)"),
    Flag.withDefault("sandbox-key")
  ),
  merchantSecret: Flags.merchantSecret("The merchant secret"),
  seed: Flags.optionalText(
    "seed",
    "Makes every random choice repeatable, and ids from 100001 (default: ids are never used again)"
  ),
  pace: Flags.duration(
    "pace",
    "200ms",
    "The time between two moves of a transaction (default: 200ms)"
  ).pipe(Flag.withDefault(Duration.millis(200))),
  isLenient: Flags.toggle(
    "lenient",
    "Accepts a refund's transactionId as text, any country and date, a DELETE with any content type"
  ),
  style: Flag.Literals("style", ["plain", "jvm"]).pipe(
    Flag.withDescription(
      "How responses and callbacks are written; jvm has null for absent fields, and epoch milliseconds in responses (default: plain)"
    ),
    Flag.withDefault("plain")
  ),
  profile: Flags.profile(
    "A profile that the doctor wrote of a real service: the sandbox then behaves like it"
  ),
  intentLifetime: Flags.duration(
    "intent-lifetime",
    "30min",
    "The time after which an unpaid payment intent expires (default: 24h)"
  ).pipe(Flag.withDefault(Duration.hours(24))),
  filename: Flags.optionalText("file", "The SQLite file for the state (default: memory)"),
  isQuiet: Flags.toggle("quiet", "Prints only the line ready, also on a terminal"),
  isJson: Flags.toggle(
    "json",
    "Prints each request, status and callback, and whatever fails, on stderr as a line of JSON, on a terminal or not"
  )
}

/** Prints that the sandbox serves, and its report on a terminal or with `--json`. */
const announce = Effect.fnUntraced(function* (
  sandbox: Omit<SandboxReport.Settings, "baseUrl">,
  isQuiet: boolean,
  isJson: boolean
) {
  const { baseUrl } = yield* Sandbox.Sandbox
  const isRead = !isQuiet && (isJson || process.stderr.isTTY)
  const report = isRead
    ? yield* Effect.flatMap(
        Effect.promise(() => import("./SandboxReport.ts")),
        ({ start }) => start({ ...sandbox, baseUrl }, isJson)
      )
    : Effect.void
  yield* Console.log(`ready ${baseUrl}`)
  yield* report
})

/**
 * The settings of this sandbox as the variables that a program of pawl reads. An empty variable
 * counts as absent.
 */
const variables = (merchantKey: string, merchantSecret: Option.Option<Redacted.Redacted>) =>
  Effect.map(Sandbox.Sandbox, ({ baseUrl }) => {
    const { PAWL_PORT, PAWL_PUBLIC_URL, PAWL_STORE, PORT } = process.env
    const port = PAWL_PORT || PORT || "3000"
    return {
      PAWL_BASE_URL: baseUrl,
      PAWL_MERCHANT_KEY: merchantKey,
      PAWL_MERCHANT_SECRET: Option.getOrElse(merchantSecret, () => "sandbox-secret"),
      PAWL_STORE: PAWL_STORE || "sqlite:pawl.db",
      PAWL_PORT: port,
      // Without it Next takes another port when this one is in use, and no callback arrives.
      PORT: PORT || port,
      PAWL_PUBLIC_URL: PAWL_PUBLIC_URL || `http://127.0.0.1:${port}`
    }
  })

/** Loads the module only then, because it has the schemas of a client. */
const profileOf = (profile: Option.Option<string>) =>
  Option.isNone(profile)
    ? Effect.succeed({})
    : Effect.flatMap(
        Effect.promise(() => import("./ProfileFile.ts")),
        (ProfileFile) => ProfileFile.profile(profile.value)
      )

/** The help and the completions say `name`. */
export const make = (name: string) =>
  Command.make(
    name,
    flags,
    ({ filename, isJson, isQuiet, merchantSecret, profile, program, seed, token, ...options }) =>
      announce(
        {
          token,
          defaultKey: options.merchantKey === "sandbox-key" ? "sandbox-key" : undefined,
          defaultSecret: Option.isNone(merchantSecret) ? "sandbox-secret" : undefined
        },
        isQuiet || (program.length > 0 && !isJson),
        isJson
      ).pipe(
        Effect.andThen(variables(options.merchantKey, merchantSecret)),
        Effect.flatMap((env) => Program.start(program, env)),
        Effect.flatten,
        Effect.scoped,
        Effect.provide(
          Layer.unwrap(
            Effect.map(profileOf(profile), (read) =>
              Sandbox.layer({
                ...options,
                ...read,
                filename: Option.getOrUndefined(filename),
                merchantSecret: Option.getOrUndefined(merchantSecret),
                token: Option.getOrUndefined(token),
                seed: Option.getOrUndefined(seed)
              })
            )
          )
        ),
        Effect.catch((error) =>
          Effect.gen(function* () {
            const message =
              error._tag === "ProgramFailed"
                ? error.message
                : `The sandbox cannot serve: ${yield* reason(error, options)}`
            return yield* CommandOutput.report(
              isJson ? JSON.stringify({ event: "failed", message }) : message
            )
          })
        ),
        Effect.provide(
          isJson ? Logger.layer([Logger.withConsoleError(Logger.formatJson)]) : Layer.empty
        )
      )
  ).pipe(
    Command.withDescription("The payments service, on a port of this machine"),
    CommandOutput.examples(
      ["-- node shop.mjs", "Runs a program with the settings of this sandbox"],
      ["--port 4010 --file sandbox.db", "Keeps its transactions in a file"]
    ),
    Command.withSubcommands([trigger])
  )

export const sandbox = make("sandbox")

/** Returns the cause of a failed start in one sentence, with a remedy. */
const reason = Effect.fnUntraced(function* (
  error: Sandbox.StartError | FileFault | InvalidConfig,
  { host, port }: { readonly host: string; readonly port: number }
) {
  if (error._tag !== "CannotListen" || error.code !== "EADDRINUSE") return error.message
  const { describe } = yield* Effect.promise(() => import("./PortOwner.ts"))
  const owner = yield* describe(host, port)
  return `port ${port} of ${host} is in use${owner}, or choose another port with --port (0 takes a free one)`
})
