import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ValidationFailed } from "../PaymentsError.ts"

/**
 * Makes a requestId: a UUIDv7 (RFC 9562) with the random bits of a UUIDv4, which every runtime makes fast.
 */
export const make: Effect.Effect<string> = /* @__PURE__ */ Effect.map(
  Clock.currentTimeMillis,
  (now) => {
    const time = now.toString(16).padStart(12, "0")
    // SecureRandom adds 1.4 kB to a bundle of the client.
    // @effect-diagnostics-next-line cryptoRandomUUID:off
    const random = crypto.randomUUID() // oxlint-disable-line no-restricted-properties
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
  }
)

/**
 * Returns the requestId of an input, else of the options, else a new one, which a retry of the
 * effect keeps. A field without a string is refused: each attempt would pay an order without id
 * once more.
 */
export const ofInput = (
  input: { readonly requestId?: string | undefined },
  options: { readonly requestId?: string | undefined } = {}
): Effect.Effect<string, ValidationFailed> => {
  let made: string | undefined
  return Effect.suspend(() => {
    const requestId = input.requestId ?? options.requestId ?? made
    if (typeof requestId === "string") return Effect.succeed(requestId)
    return "requestId" in input || "requestId" in options
      ? Effect.fail(
          new ValidationFailed({
            sent: false,
            fields: [
              { path: "requestId", message: "give a string, or omit the field to get a new one" }
            ]
          })
        )
      : Effect.map(make, (id) => (made ??= id))
  })
}
