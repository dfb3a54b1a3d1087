/**
 * Switches for the silences of the specification. The decision page of each explains its default.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Defaults from "./internal/Defaults.ts"

/**
 * The switches to change. A duration is milliseconds, text such as `"30 seconds"`, or a `Duration`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options {
  /**
   * Field of the `/auth` response with the access token; default: the usual names
   * (`docs/decisions/0006-access-tokens.md`).
   */
  readonly tokenField?: string | undefined
  /**
   * Time before its expiry at which an access token is renewed; default: one day
   * (`docs/decisions/0006-access-tokens.md`).
   */
  readonly refreshBefore?: Duration.Input
  /** Separator between the fields of a request checksum; default: `|` (`docs/decisions/0003-checksums.md`). */
  readonly requestChecksumSeparator?: string
  /** Whether the client sends a checksum with an APM payout; default: true (`docs/decisions/0003-checksums.md`). */
  readonly payoutChecksum?: boolean
  /**
   * Whether the `transactionId` of a refund's callback identifies the refund or the payment; default: the refund
   * (`docs/decisions/0005-refund-ids-and-kinds.md`).
   */
  readonly refundCallbackId?: "refund" | "payment"
  /**
   * Whether a callback must say that it is JSON, or may have any content type; default: `json`. Its body must be
   * JSON in both (`docs/decisions/0003-checksums.md`).
   */
  readonly callbackContentType?: "json" | "any"
  /**
   * Poll intervals of an open transaction, above 0; the last repeats for a day; default: 5, 5, 10, 30, 60 minutes
   * (`docs/decisions/0007-reads.md`).
   */
  readonly pollIntervals?: readonly [Duration.Input, ...Array<Duration.Input>]
  /**
   * Time after its first request in which a create in doubt is sent again with its requestId; default: 24 hours
   * (`docs/decisions/0060-creates-in-doubt.md`).
   */
  readonly requestIdWindow?: Duration.Input
  /**
   * Whether a create that gets 422 had no effect or is in doubt, because a proxy may have sent it; default: `doubt`
   * (`docs/decisions/0010-responses.md`).
   */
  readonly status422?: "doubt" | "no-effect"
}

/**
 * The switches.
 *
 * @category models
 * @since 0.1.0
 */
export interface Switches extends Required<
  Omit<Options, "pollIntervals" | "refreshBefore" | "requestIdWindow" | "tokenField">
> {
  /** See `Options`. */
  readonly pollIntervals: readonly [Duration.Duration, ...Array<Duration.Duration>]
  /** See `Options`. */
  readonly refreshBefore: Duration.Duration
  /** See `Options`. */
  readonly requestIdWindow: Duration.Duration
  /** See `Options`. */
  readonly tokenField: string | undefined
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
  requestIdWindow: Duration.days(1),
  status422: "doubt"
}

/**
 * Reference to the current profile.
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
  pollIntervals: /* @__PURE__ */ Schema.NonEmptyArray(
    /* @__PURE__ */ Time.check(
      /* @__PURE__ */ Schema.makeFilter((interval) =>
        Duration.isPositive(Duration.fromInputUnsafe(interval))
      )
    )
  ),
  requestIdWindow: Time,
  status422: /* @__PURE__ */ Schema.Literals(["doubt", "no-effect"])
} satisfies { readonly [Name in keyof Switches]: Schema.Codec<unknown> }

/**
 * Schema for a profile as a JSON file, such as `doctor` writes.
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
 * A profile as a JSON file.
 *
 * @category models
 * @since 0.1.0
 */
export interface File {
  /** Base URL of the service that was examined. */
  readonly service?: string
  /** Switches of the client and the receiver. */
  readonly switches?: Options
  /** Readings of the silences, with which a sandbox starts. */
  readonly readings?: Readonly<Record<string, string>>
}

/**
 * Returns the name of the first switch that does not exist or has a wrong value.
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
 * Layer that changes some switches. One that is undefined keeps its default.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<never> => {
  const {
    pollIntervals: [gap, ...gaps],
    refreshBefore,
    requestIdWindow,
    ...switches
  } = Defaults.changed<Required<Options>>(defaults, options)
  return Layer.succeed(Profile, {
    ...switches,
    pollIntervals: [Duration.fromInputUnsafe(gap), ...gaps.map(Duration.fromInputUnsafe)],
    refreshBefore: Duration.fromInputUnsafe(refreshBefore),
    requestIdWindow: Duration.fromInputUnsafe(requestIdWindow)
  })
}
