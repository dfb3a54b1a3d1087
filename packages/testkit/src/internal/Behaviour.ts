/** The points at which a gateway can behave otherwise, where the specification is silent. */
import type { Body, Signed } from "@pawl/core/Callback"
import * as Checksum from "@pawl/core/Checksum"
import type { Kind } from "@pawl/core/Kind"
import type { Switches } from "@pawl/core/Profile"
import * as Duration from "effect/Duration"
import { identity } from "effect/Function"

export interface Request {
  /** The HTTP method, in capitals. */
  readonly method: string
  /** The path and query, from the root of the host. */
  readonly path: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes; empty without a body. */
  readonly body: Uint8Array
}

export interface Response {
  /** The HTTP status. */
  readonly status: number
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body; empty only with 204, or where a reading empties it. */
  readonly body: string
}

/** The parts of a callback that a reading may change. */
export interface CallbackParts {
  /** The kind of the transaction. */
  readonly kind: Kind
  /** The URL with its routing parameters. */
  readonly url: string
  /** The content type; `application/json` by default. */
  readonly contentType?: string
  /** The fields of the checksum. */
  readonly signed: Signed
  /** Every field but the status. */
  readonly body: Body
}

export type ChecksumFields = Parameters<typeof Checksum.request>[2]

export interface Behaviour {
  /** The switches of `Profile`. */
  readonly switches: Partial<Switches>
  /** The response to a request that nothing else reads. */
  readonly refusal: (request: Request) => Response | undefined
  /** The last change of a response. */
  readonly response: (response: Response, request: Request) => Response
  /** The last change of a callback. */
  readonly callback: (callback: CallbackParts) => CallbackParts
  /** Tells whether the checksum of an APM request matches. */
  readonly isChecksum: (
    sent: string,
    sign: Checksum.Sign,
    separator: string,
    fields: ChecksumFields
  ) => boolean
  /** The checksum of an APM payment. */
  readonly paymentChecksum: "checked" | "ignored"
  /** The checksum of an APM payout: checked if present, required, refused, or never read. */
  readonly payoutChecksum: "checked" | "required" | "refused" | "ignored"
  /** How an amount becomes two decimals. */
  readonly rounding: "half-up" | "half-even" | "down" | "refused"
  /** The treatment of a requestId that is repeated with another amount. */
  readonly repeated: "original" | "refused" | "another"
  /** The age from which the status of a transaction can be read. */
  readonly visibleAfter: Duration.Duration
  /** The lifetime that an access token claims; undefined claims none. */
  readonly tokenLifetime: Duration.Duration | undefined
  /** The identifier that a refund is read by. */
  readonly refundId: "refund" | "payment"
  /** The JSON type of the payment's identifier. */
  readonly refundPayment: "integer" | "text"
  /** The status of a subscription after its first charge. */
  readonly afterFirstCharge: "ACTIVE" | "PENDING"
  /** The first status with `skipFirstCharge`. */
  readonly afterSkippedCharge: "TRIALING" | "ACTIVE"
  /** A PUT of a CANCELED subscription. */
  readonly canceledPut: "refused" | "accepted"
  /** A DELETE of a CANCELED subscription. */
  readonly canceledDelete: "accepted" | "refused"
  /** The statuses that a PUT of a subscription accepts. */
  readonly putStatus: "any" | "documented"
  /** The effect of a plan's `interval`. */
  readonly interval: "units" | "ignored"
  /** The days of a CUSTOM unit. */
  readonly customDays: number
  /** The time for a receiver's response. */
  readonly responseTimeout: Duration.Duration
  /** The times between the attempts of a callback. */
  readonly retryGaps: ReadonlyArray<Duration.Duration>
  /** Tells whether a response delivers a callback. */
  readonly isTaken: (status: number) => boolean
}

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
