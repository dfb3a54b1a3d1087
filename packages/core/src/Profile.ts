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
 * - `refreshBefore`: how long before its expiry a token is refreshed; one day.
 * - `requestChecksumSeparator`: what joins the fields of a request checksum; `|`
 *   (`docs/decisions/0004-the-request-checksum-joins-with-a-bar.md`).
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
