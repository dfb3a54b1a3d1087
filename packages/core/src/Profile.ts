/**
 * The profile: the switches for the silences of the specification.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"

/**
 * The switches. The decision page of each switch explains its default.
 *
 * - `tokenField`: the field of the `/auth` response that carries the access token. By default the usual names
 *   are tried (`docs/decisions/0006-access-tokens.md`).
 * - `refreshBefore`: the time before its expiry at which an access token is renewed. Default: one day (same page).
 * - `requestChecksumSeparator`: the separator between the fields of a request checksum. Default: `|`
 *   (`docs/decisions/0003-checksums.md`).
 * - `payoutChecksum`: whether the client sends a checksum with an APM payout, as with an APM payment.
 *   Default: true (`docs/decisions/0003-checksums.md`).
 * - `refundCallbackId`: whether the `transactionId` of a refund callback identifies the refund or the refunded
 *   payment. The gateway writes callbacks by this switch, and the receiver finds their rows by it.
 *   Default: the refund (`docs/decisions/0005-refund-ids-and-kinds.md`).
 * - `callbackContentType`: whether a callback must say that it is JSON, or may have any content type or none. Its body must be
 *   JSON in both. Default: `json`
 *   (`docs/decisions/0003-checksums.md`).
 * - `pollIntervals`: the waits before the reads of an open transaction; the last one repeats for a day. Default: 5, 5, 10,
 *   30 and 60 minutes
 *   (`docs/decisions/0007-reads.md`).
 * - `requestIdWindow`: the time after its first request for which a create in doubt is sent again with the same
 *   requestId. Default: 24 hours
 *   (`docs/decisions/0060-creates-in-doubt.md`).
 *
 * - `status422`: whether a create that the service answers with 422 had no effect, or is in doubt, because a proxy may have
 *   sent the 422. Default: `doubt`
 *   (`docs/decisions/0010-responses.md`).
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
  readonly callbackContentType: "json" | "any"
  readonly pollIntervals: readonly [Duration.Duration, ...Array<Duration.Duration>]
  readonly requestIdWindow: Duration.Duration
  readonly status422: "doubt" | "no-effect"
}

/**
 * The default of every switch.
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
  callbackContentType: "json",
  pollIntervals: [
    Duration.minutes(5),
    Duration.minutes(5),
    Duration.minutes(10),
    Duration.minutes(30),
    Duration.minutes(60)
  ],
  requestIdWindow: Duration.hours(24),
  status422: "doubt"
}

/**
 * Reference to the current profile. Provide another value to change a switch.
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
 * The switches to change. A duration is a number of milliseconds, a text such as `"30 seconds"`, or a `Duration`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Partial<
  Omit<Switches, "pollIntervals" | "refreshBefore" | "requestIdWindow">
> {
  readonly pollIntervals?: readonly [Duration.Input, ...Array<Duration.Input>]
  readonly refreshBefore?: Duration.Input
  readonly requestIdWindow?: Duration.Input
}

const Time: Schema.Codec<Duration.Input> = /* @__PURE__ */ Schema.declare(
  (value): value is Duration.Input =>
    !Number.isNaN(value) &&
    Option.exists(
      Duration.fromInput(value as Duration.Input),
      (duration) => Duration.isFinite(duration) && !Duration.isNegative(duration)
    )
)

const fields = {
  tokenField: /* @__PURE__ */ Schema.UndefinedOr(Schema.String),
  refreshBefore: Time,
  requestChecksumSeparator: Schema.String,
  payoutChecksum: Schema.Boolean,
  refundCallbackId: /* @__PURE__ */ Schema.Literals(["refund", "payment"]),
  callbackContentType: /* @__PURE__ */ Schema.Literals(["json", "any"]),
  pollIntervals: /* @__PURE__ */ Schema.NonEmptyArray(Time),
  requestIdWindow: Time,
  status422: /* @__PURE__ */ Schema.Literals(["doubt", "no-effect"])
} satisfies { readonly [Name in keyof Switches]: Schema.Codec<unknown> }

/**
 * Schema for a profile as a file of JSON: the switches, and the readings that a sandbox is started with. `doctor` writes one of a
 * service.
 *
 * @category schemas
 * @since 0.1.0
 */
export const File: Schema.Codec<File, unknown> = /* @__PURE__ */ Schema.Struct({
  service: /* @__PURE__ */ Schema.optionalKey(Schema.String),
  switches: /* @__PURE__ */ Schema.optionalKey(
    /* @__PURE__ */ Schema.Struct(/* @__PURE__ */ Struct.map(fields, Schema.optionalKey))
  ),
  readings: /* @__PURE__ */ Schema.optionalKey(
    /* @__PURE__ */ Schema.Record(Schema.String, Schema.String)
  )
})

/**
 * A profile as a file of JSON.
 *
 * @category models
 * @since 0.1.0
 */
export interface File {
  readonly service?: string
  readonly switches?: Options
  readonly readings?: Readonly<Record<string, string>>
}

/**
 * Returns the name of the first switch that does not exist or has a wrong value, for options that no compiler has checked.
 *
 * @category guards
 * @since 0.1.0
 */
export const unusable = (options: Readonly<Record<string, unknown>>): string | undefined =>
  Object.keys(options).find(
    (name) =>
      !Object.hasOwn(fields, name) ||
      !Schema.is(fields[name as keyof Switches] as Schema.Codec<unknown>)(options[name])
  )

/**
 * Layer that changes some switches and leaves the others at their defaults.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = ({
  pollIntervals: [gap, ...gaps] = defaults.pollIntervals,
  refreshBefore = defaults.refreshBefore,
  requestIdWindow = defaults.requestIdWindow,
  ...switches
}: Options): Layer.Layer<never> =>
  Layer.succeed(Profile, {
    ...defaults,
    ...switches,
    pollIntervals: [Duration.fromInputUnsafe(gap), ...gaps.map(Duration.fromInputUnsafe)],
    refreshBefore: Duration.fromInputUnsafe(refreshBefore),
    requestIdWindow: Duration.fromInputUnsafe(requestIdWindow)
  })
