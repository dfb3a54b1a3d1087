/**
 * What we do where the spec is silent: one default each, and a switch where services may differ.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"

/**
 * The switches, each with the decision page that explains its default.
 *
 * - `tokenField`: the field of the answer of `/auth` that carries the token; by default the usual
 *   names are tried (`docs/decisions/0005-the-token-field-is-found-by-its-usual-names.md`).
 * - `refreshBefore`: how long before its expiry a token is refreshed; one day (same page).
 * - `requestChecksumSeparator`: what joins the fields of a request checksum; `|`
 *   (`docs/decisions/0004-the-request-checksum-joins-with-a-bar.md`).
 * - `payoutChecksum`: whether the client puts a checksum into an APM payout, as it does into an APM
 *   payment; it does (`docs/decisions/0010-a-payout-carries-the-checksum-of-a-payment.md`).
 * - `refundCallbackId`: whose identifier the `transactionId` of a refund's callback is, its own or
 *   that of the payment it gives back. The gateway writes these callbacks by it, the receiver finds
 *   their row by it; the refund's own
 *   (`docs/decisions/0012-a-refund-is-named-by-its-refundid.md`).
 * - `pollGaps`: the waits before each poll of a transaction that has not ended; the last one repeats
 *   (`docs/decisions/0006-the-poll-gaps-are-5-5-10-30-60-minutes-then-hourly.md`).
 *
 * @category models
 * @since 0.1.0
 */
export interface Switches {
  readonly tokenField: string | undefined
  readonly refreshBefore: Duration.Duration
  readonly requestChecksumSeparator: string
  readonly payoutChecksum: boolean
  readonly refundCallbackId: "refund" | "payment"
  readonly pollGaps: readonly [Duration.Duration, ...Array<Duration.Duration>]
}

/**
 * The defaults.
 *
 * @category constants
 * @since 0.1.0
 */
export const defaults: Switches = {
  tokenField: undefined,
  refreshBefore: Duration.days(1),
  requestChecksumSeparator: "|",
  payoutChecksum: true,
  refundCallbackId: "refund",
  pollGaps: [
    Duration.minutes(5),
    Duration.minutes(5),
    Duration.minutes(10),
    Duration.minutes(30),
    Duration.minutes(60)
  ]
}

/**
 * Reference to the profile in force; provide another value to change a switch.
 *
 * @category references
 * @since 0.1.0
 */
export const Profile: Context.Reference<Switches> = Context.Reference<Switches>(
  "@pawl/core/Profile",
  {
    defaultValue: () => defaults
  }
)

/**
 * Layer that changes some switches and leaves the others at their defaults.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (switches: Partial<Switches>): Layer.Layer<never> =>
  Layer.succeed(Profile, { ...defaults, ...switches })
