/**
 * Refuses the requests that reach no merchant: those that are no callback, and the callbacks of unknown merchants.
 *
 * **Details**
 *
 * The response and the work are those of a callback whose checksum does not match, so neither tells which merchants and accounts there
 * are (`docs/decisions/0102-each-merchant-of-a-receiver-has-a-ledger-of-his-own.md`).
 */
import type { Refusal } from "@pawl/core/CallbackError"
import * as Checksum from "@pawl/core/Checksum"
import { Hmac } from "@pawl/core/Hmac"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Journal from "@pawl/webhook/Journal"
import * as Metrics from "@pawl/webhook/Metrics"
import type { StatusCode } from "@pawl/webhook/Receiver"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Reading from "@pawl/webhook/internal/verify/Reading"

const unknownMerchant =
  "callbacks are refused with 401 because their account or their URL belongs to no merchant of this receiver"

/** Makes the function that refuses a request. */
export const make = Effect.gen(function* () {
  const journal = Context.get(yield* Layer.build(Layer.fresh(Journal.layer)), Journal.Journal)
  const sign = (yield* Hmac).keyed(Redacted.make("no merchant has this secret"))
  return Effect.fnUntraced(function* (
    incoming: Incoming,
    first: Reading.Reading | Refusal
  ): Effect.fn.Return<StatusCode> {
    // The verifier of a known merchant reads a callback again, so this one is read twice too.
    const reading = "reason" in first ? first : Reading.read(incoming)
    const status = "reason" in reading ? reading.status : 401
    Metrics.countRefused(status, yield* Effect.context())
    if ("reason" in reading) return status
    const { checksum = "" } = incoming
    Checksum.matches(Checksum.callback(sign, reading.signed), checksum)
    journal.note("refused", yield* Clock.currentTimeMillis)
    yield* journal.raiseAlarm(unknownMerchant)
    return status
  })
})
