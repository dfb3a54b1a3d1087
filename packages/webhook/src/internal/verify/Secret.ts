import { InvalidSecret } from "@pawl/core/CallbackError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** A missing secret reads as empty, which `check` refuses. */
export const config = () =>
  Config.withDefault(Config.Redacted("PAWL_MERCHANT_SECRET"), Redacted.make(""))

/** Refuses an empty secret, and one with white space around it. */
export const check = (
  name: "current" | "previous",
  secret: Redacted.Redacted
): Effect.Effect<Redacted.Redacted, InvalidSecret> => {
  const text = Redacted.value(secret)
  // A variable of the environment that is not set is undefined, whatever its type says.
  return typeof text !== "string" || text === "" || text !== text.trim()
    ? Effect.fail(new InvalidSecret({ secret: name }))
    : Effect.succeed(secret)
}
