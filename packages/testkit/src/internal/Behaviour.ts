/**
 * The points at which a gateway can behave otherwise than by default, where the specification is silent.
 *
 * **Details**
 *
 * A reading of a silence sets one or two of them. `response` and `callback` rewrite whole bodies at the edge of the
 * gateway, so most readings need no code inside it.
 */
import type { Body, Signed } from "@pawl/core/Callback"
import * as Checksum from "@pawl/core/Checksum"
import type { Kind } from "@pawl/core/Kind"
import type { Switches } from "@pawl/core/Profile"
import * as Duration from "effect/Duration"
import { identity } from "effect/Function"

/** A request to the gateway. Header names are lower case; `path` begins at the host root, and may have a query. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** A response of the gateway. Its body is empty only with 204, or where a reading empties it. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * The parts of a callback that a reading may change: its URL, its content type, the fields of the checksum, and the body.
 */
export interface CallbackParts {
  readonly kind: Kind
  readonly url: string
  readonly contentType?: string
  readonly signed: Signed
  readonly body: Body
}

/** The fields of a request checksum. */
export type ChecksumFields = Parameters<typeof Checksum.request>[2]

/**
 * The behaviour of a gateway.
 *
 * - `refusal`: the response to a request that nothing else looks at.
 * - `response`, `callback`: the last change of a response or callback.
 * - `isChecksum`: tells whether the checksum of an APM request matches.
 * - `paymentChecksum`: whether the checksum of an APM payment is checked.
 * - `payoutChecksum`: whether an APM payout may, must or must not have a checksum, or has one that nobody reads.
 * - `rounding`: how an amount is rounded to two decimals; undefined refuses it.
 * - `repeated`: the treatment of a requestId that comes again with another amount.
 * - `visibleAfter`: the age of a transaction at which its status can be read.
 * - `tokenLifetime`: the lifetime in the claims of an access token; undefined leaves the claim out.
 * - `refundId`: the identifier that a refund is read by. `refundPayment`: the JSON type of the payment's identifier.
 * - `afterFirstCharge`, `afterSkippedCharge`: the first status of a subscription.
 * - `canceledPut`, `canceledDelete`: the answer to a change of a CANCELED subscription.
 * - `putStatus`: the statuses that a PUT of a subscription accepts.
 * - `interval`, `customDays`: the effect of a plan's `interval`, and the days of a CUSTOM unit.
 * - `responseTimeout`, `retryGaps`, `isTaken`: when a callback counts as delivered, and when it is sent again.
 */
export interface Behaviour {
  readonly switches: Partial<Switches>
  readonly refusal: (request: Request) => Response | undefined
  readonly response: (response: Response, request: Request) => Response
  readonly callback: (callback: CallbackParts) => CallbackParts
  readonly isChecksum: (
    sent: string,
    sign: Checksum.Sign,
    separator: string,
    fields: ChecksumFields
  ) => boolean
  readonly paymentChecksum: "checked" | "ignored"
  readonly payoutChecksum: "checked" | "required" | "refused" | "ignored"
  readonly rounding: "half-up" | "half-even" | "down" | "refused"
  readonly repeated: "original" | "refused" | "another"
  readonly visibleAfter: Duration.Duration
  readonly tokenLifetime: Duration.Duration | undefined
  readonly refundId: "refund" | "payment"
  readonly refundPayment: "integer" | "text"
  readonly afterFirstCharge: "ACTIVE" | "PENDING"
  readonly afterSkippedCharge: "TRIALING" | "ACTIVE"
  readonly canceledPut: "refused" | "accepted"
  readonly canceledDelete: "accepted" | "refused"
  readonly putStatus: "any" | "documented"
  readonly interval: "units" | "ignored"
  readonly customDays: number
  readonly responseTimeout: Duration.Duration
  readonly retryGaps: ReadonlyArray<Duration.Duration>
  readonly isTaken: (status: number) => boolean
}

/** The behaviour by default. */
export const defaults: Behaviour = {
  switches: {},
  refusal: () => undefined,
  response: identity,
  callback: identity,
  isChecksum: (sent, sign, separator, fields) =>
    Checksum.matches(Checksum.request(sign, separator, fields), sent),
  paymentChecksum: "checked",
  payoutChecksum: "checked",
  rounding: "half-up",
  repeated: "original",
  visibleAfter: Duration.zero,
  tokenLifetime: Duration.days(30),
  refundId: "refund",
  refundPayment: "integer",
  afterFirstCharge: "ACTIVE",
  afterSkippedCharge: "TRIALING",
  canceledPut: "refused",
  canceledDelete: "accepted",
  putStatus: "any",
  interval: "units",
  customDays: 1,
  responseTimeout: Duration.seconds(10),
  retryGaps: [2, 4, 8, 16, 32].map(Duration.minutes),
  isTaken: (status) => status >= 200 && status < 300
}
