/**
 * The command `pawl-sandbox trigger`: makes transactions on a running sandbox through its API, and follows them to
 * their end. Exits with 0 if the first attempt of every callback was delivered.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { create, kinds } from "../internal/trigger/Creates.ts"
import * as Follower from "../internal/trigger/Follower.ts"
import * as SandboxClient from "../internal/trigger/SandboxClient.ts"
import * as Scenario from "../Scenario.ts"
import { Reported } from "./Reported.ts"

const isHttp = (text: string): boolean => /^https?:$/u.test(URL.parse(text)?.protocol ?? "")

const stories = Scenario.stories.join(", ")
const suffixes = Scenario.suffixes.map((suffix) => `+${suffix}`).join(", ")

const scenario = Argument.String("scenario").pipe(
  Argument.filterMap(
    (text) =>
      Option.map(Option.fromUndefinedOr(Scenario.parse(text)), (parsed) => ({ ...parsed, text })),
    () => `Expected one of ${stories}; after it any of ${suffixes}, such as succeed+duplicate`
  ),
  Argument.withDescription(`The course of the transaction: ${stories}; after it any of ${suffixes}`)
)

const flags = {
  kind: Flag.Literals("kind", kinds).pipe(
    Flag.withDescription("The kind of the transaction (default: card-payment)"),
    Flag.withDefault("card-payment" as const)
  ),
  amount: Flag.String("amount").pipe(
    Flag.withDescription("The amount (default: 10.00)"),
    Flag.withDefault("10.00")
  ),
  currency: Flag.String("currency").pipe(
    Flag.withDescription("The currency (default: EUR)"),
    Flag.withDefault("EUR")
  ),
  callbackUrl: Flag.String("callback-url").pipe(
    Flag.filter(isHttp, () => "Expected a URL such as http://127.0.0.1:4020/callback"),
    Flag.withDescription("The URL of your receiver; without it no callbacks are sent"),
    Flag.optional
  ),
  times: Flag.Int("times").pipe(
    Flag.filter(
      (times) => times >= 1 && times <= 1000,
      () => "Expected a number from 1 to 1000"
    ),
    Flag.withDescription("The number of transactions (default: 1)"),
    Flag.withDefault(1)
  ),
  baseUrl: Flag.String("base-url").pipe(
    Flag.filter(isHttp, () => "Expected a URL such as http://127.0.0.1:4010/api"),
    Flag.map((url) => url.replace(/\/+$/u, "")),
    Flag.withDescription("The base URL of the sandbox (default: http://127.0.0.1:4010/api)"),
    Flag.withDefault("http://127.0.0.1:4010/api")
  ),
  merchantKey: Flag.String("merchant-key").pipe(
    Flag.withDescription("The merchant key of the sandbox (default: sandbox-key)"),
    Flag.withDefault("sandbox-key")
  ),
  merchantSecret: Flag.Redacted("merchant-secret").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_MERCHANT_SECRET")),
    Flag.filter(
      (secret) => Redacted.value(secret) !== "",
      () => "Expected a secret, here or in PAWL_MERCHANT_SECRET, that is not empty"
    ),
    Flag.withDescription(
      "The merchant secret of the sandbox; or set PAWL_MERCHANT_SECRET (default: sandbox-secret)"
    ),
    Flag.optional
  ),
  token: Flag.Redacted("token").pipe(
    Flag.withFallbackConfig(Config.Redacted("PAWL_SANDBOX_TOKEN")),
    Flag.withDescription("The token of the sandbox, if it has one; or set PAWL_SANDBOX_TOKEN"),
    Flag.optional
  )
}

/** The subcommand `trigger`. */
export const trigger = Command.make("trigger", { scenario, ...flags }, (input) =>
  Effect.gen(function* () {
    const { amount, currency, kind, times } = input
    const target: SandboxClient.Target = {
      ...input,
      merchantSecret: Option.getOrElse(input.merchantSecret, () => Redacted.make("sandbox-secret"))
    }
    const order = {
      kind,
      amount,
      currency,
      scenario: input.scenario.text,
      callbackUrl: Option.getOrUndefined(input.callbackUrl)
    }
    const changes = yield* SandboxClient.changes(target)
    const accessToken = yield* SandboxClient.login(target)
    const ids: Array<string> = []
    for (let number = 1; number <= times; number++) {
      const id = yield* create(target, accessToken, order, number)
      ids.push(id)
      const page = `${new URL(target.baseUrl).origin}/#/transactions/${id}`
      yield* Console.log(`${id}  ${kind} of ${amount} ${currency}, ${order.scenario}: ${page}`)
    }
    const follower = Follower.make(ids, input.scenario)
    while (!follower.isOver()) {
      const change = yield* Queue.take(changes)
      if (change.name === "reset") {
        return yield* new SandboxClient.TriggerFailed({ message: "the sandbox was reset" })
      }
      for (const line of follower.follow(change)) yield* Console.log(line)
    }
    const { isRetried, lines, undelivered } = follower.summary()
    for (const line of lines) yield* Console.log(line)
    if (isRetried) {
      const clock = `${new URL(target.baseUrl).origin}/sandbox/clock`
      yield* Console.log(
        `The sandbox tries again; see it now with curl -s ${clock} -d '{"advance":"62 minutes"}'`
      )
    }
    if (undelivered > 0) return yield* new Reported()
  }).pipe(
    Effect.scoped,
    Effect.catchTag("TriggerFailed", ({ message }) =>
      Effect.andThen(
        Console.error(`The transaction cannot be followed: ${message}`),
        Effect.fail(new Reported())
      )
    ),
    Effect.provide(FetchHttpClient.layer)
  )
).pipe(
  Command.withDescription("Makes a transaction on a running sandbox and follows it to its end")
)
