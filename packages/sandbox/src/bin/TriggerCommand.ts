/**
 * The command `pawl-sandbox trigger`: makes transactions on a running sandbox, and follows them to
 * their end. Exits with 0 if the first attempt of every callback was delivered.
 */
import * as Argument from "effect/cli/Argument"
import * as CommandOutput from "@pawl/webhook/internal/CommandOutput"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { clean } from "@pawl/core/internal/Printable"
import type { KnownKind } from "@pawl/core/Kind"
import * as Scenario from "@pawl/testkit/Scenario"
import * as Flags from "./Flags.ts"

const kinds = [
  "card-payment",
  "apm-payment",
  "card-payout",
  "apm-payout",
  "refund"
] as const satisfies ReadonlyArray<KnownKind>

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
  amount: Flags.text("amount", "10.00", "The amount"),
  currency: Flags.text("currency", "EUR", "The currency"),
  account: Flags.text("account", "4711", "The account: accountId or mid"),
  callbackUrl: Flag.String("callback-url").pipe(
    Flag.filter(Flags.isHttp, () => "Expected a URL such as http://127.0.0.1:4020/callback"),
    Flag.withDescription("The URL of your receiver; without it no callbacks are sent"),
    Flag.optional
  ),
  times: Flags.int("times", [1, 1000], 1, "The number of transactions (default: 1)"),
  baseUrl: Flag.String("base-url").pipe(
    Flags.asBaseUrl("http://127.0.0.1:4010/api"),
    Flag.withDescription("The base URL of the sandbox (default: http://127.0.0.1:4010/api)"),
    Flag.withDefault("http://127.0.0.1:4010/api")
  ),
  merchantKey: Flags.text("merchant-key", "sandbox-key", "The merchant key of the sandbox"),
  merchantSecret: Flags.merchantSecret("The merchant secret of the sandbox"),
  token: Flags.token("The token of the sandbox, if it has one")
}

/** Subcommand whose modules are loaded only when it runs, because `sandbox` has it too. */
export const trigger = Command.make("trigger", { scenario, ...flags }, (input) =>
  Effect.promise(() => import("../internal/trigger/Trigger.ts")).pipe(
    Effect.flatMap(({ run }) =>
      run({
        ...input,
        merchantSecret: Option.getOrElse(input.merchantSecret, () =>
          Redacted.make("sandbox-secret")
        ),
        callbackUrl: Option.getOrUndefined(input.callbackUrl)
      })
    ),
    Effect.catchTag("TriggerFailed", ({ message }) =>
      CommandOutput.report(`The transaction cannot be followed: ${clean(message)}`)
    ),
    Effect.filterOrFail(
      (undelivered) => undelivered === 0,
      () => new CommandOutput.Reported()
    )
  )
).pipe(
  Command.withDescription("Makes a transaction on a running sandbox and follows it to its end"),
  CommandOutput.example(
    "decline:51 --callback-url http://127.0.0.1:4020/callback",
    "A card payment that is declined"
  )
)
