/**
 * What a secret may be.
 *
 * @since 0.1.0
 */
import { InvalidSecret } from "@pawl/core/CallbackError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** That of the environment; one that is missing is as good as one that is empty. */
export const config = () =>
  Config.withDefault(Config.Redacted("PAWL_MERCHANT_SECRET"), Redacted.make(""))

/** Refuses a secret that was not copied as it is. */
export const check = (
  name: "current" | "previous",
  secret: Redacted.Redacted
): Effect.Effect<Redacted.Redacted, InvalidSecret> => {
  const text = Redacted.value(secret)
  return text === "" || text !== text.trim()
    ? Effect.fail(new InvalidSecret({ secret: name }))
    : Effect.succeed(secret)
}
