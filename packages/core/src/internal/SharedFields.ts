import * as Schema from "effect/Schema"
import { ApmResponseData } from "../ApmPayload.ts"
import type { ApmBillingDetails, BillingDetails } from "../Billing.ts"
import type { Order } from "../Order.ts"
import * as Grammar from "./Grammar.ts"
import { Metadata, OpenStatus, PaymentType, TransactionId } from "../Transaction.ts"
import {
  nullableText,
  openStructOf,
  optionalText,
  secretText,
  type UnknownFields
} from "./OpenStruct.ts"

export interface Requested {
  /**
   * Idempotency key: chosen by the merchant, unique per request, 1 to 128 characters without `|`
   * and control characters; default: a UUIDv7 for each call of the method, which `Effect.retry`
   * keeps. A repeated requestId returns the original response (`spec.md`, "Conventions").
   */
  readonly requestId?: string
}

export interface CreateInput extends Requested {
  /** Key-value pairs that responses and callbacks return unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata
}

export interface OptionalCallbackUrl {
  /**
   * Absolute http(s) URL for the callbacks of this request; without it there are none (`spec.md`,
   * "Events").
   */
  readonly callbackUrl?: string
}

export interface PageUrls {
  /** Absolute http(s) URL for the callbacks of this request (`spec.md`, "Events"). */
  readonly callbackUrl: string
  /**
   * Absolute http(s) URL to which the customer returns after a success. The return does not confirm the
   * payment (`spec.md`, "Transaction statuses").
   */
  readonly successRedirectUrl: string
  /**
   * Absolute http(s) URL to which the customer returns after a failure (`spec.md`, "Transaction
   * statuses").
   */
  readonly failureRedirectUrl: string
}

export interface CardAccount {
  /**
   * Merchant account of card operations, subscriptions and intents: 1 to 128 characters without `|` and
   * control characters (`spec.md`, "Conventions").
   */
  readonly mid: string
}

export interface Identified {
  /** Identifier that the service assigned; status and info reads take it (`spec.md`, "Conventions"). */
  readonly transactionId: TransactionId
}

export interface Answered extends UnknownFields {
  /**
   * Numeric reason of a decline, only with FAILED; its values are not documented (`spec.md`,
   * "Conventions").
   */
  readonly declineCode?: number | null
  /** Key-value pairs of the request, unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata | null
}

export interface Outcome extends Answered {
  /** One of the nine statuses, or unknown text (`spec.md`, "Transaction statuses"). */
  readonly transactionStatus: OpenStatus
}

export interface Challenge {
  /**
   * URL of the 3-D Secure challenge, only with CUSTOMER_VERIFICATION (`spec.md`, "Transaction statuses").
   */
  readonly challengeUrl?: string | null
  /** URL of the same challenge for an iframe (`spec.md`, "Transaction statuses"). */
  readonly challengeUrlIframe?: string | null
}

export interface Created extends Outcome, Challenge {
  /** CARD or APM (`spec.md`, "Conventions"). */
  readonly paymentType?: PaymentType | null
}

export interface Details extends Identified, Outcome {
  /** Idempotency key of the request (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /** URL for the callbacks of the request (`spec.md`, "Events"). */
  readonly callbackUrl?: string | null
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  readonly createdAt?: string | null
}

export interface CardDetails extends Details {
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  readonly mid?: string | null
  /**
   * Amount in major units, with every digit of the JSON number on the wire (`spec.md`, "Card payouts",
   * "Refunds").
   */
  readonly totalAmount?: string | null
}

export const Url = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s]+$/u, { message: "Expected an absolute http(s) URL" })
)

/** Refuses a parameter that the service adds itself: every callback would have it twice and be refused. */
export const CallbackUrl = Url.check(
  Schema.makeFilter((url) => {
    const [, query = ""] = /\?([^#]*)/u.exec(url) ?? []
    const isFree = ![...new URLSearchParams(query).keys()].some((name) =>
      Grammar.routing.test(name)
    )
    return isFree || "Expected a URL without the query parameters paymentMethod and apmType"
  })
)

export const outcome = {
  transactionStatus: OpenStatus,
  declineCode: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
}

export const challenge = { challengeUrl: nullableText, challengeUrlIframe: nullableText }

export const created = {
  ...outcome,
  ...challenge,
  paymentType: Schema.optionalKey(Schema.NullOr(PaymentType))
}

export const details = {
  requestId: nullableText,
  ...outcome,
  callbackUrl: nullableText,
  createdAt: nullableText
}

export const apmCreated = {
  requestId: optionalText,
  transactionId: TransactionId,
  ...created,
  declineSubReason: nullableText,
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  createdTime: nullableText
}

export const person = {
  externalUserId: optionalText,
  firstName: optionalText,
  lastName: optionalText,
  address1: optionalText,
  city: optionalText,
  state: optionalText,
  country: optionalText,
  postalCode: optionalText,
  phone: optionalText,
  dateOfBirth: optionalText
}

export const apmPerson = {
  email: optionalText,
  ssn: secretText("ssn"),
  identityCode: secretText("identityCode")
}

export const BillingDetailsDto = openStructOf<BillingDetails>("BillingDetailsDto", {
  ...person,
  email: Schema.String
})

export const ApmBillingDetailsDto = openStructOf<ApmBillingDetails>("ApmBillingDetailsDto", {
  ...person,
  ...apmPerson
})

export const order = {
  date: optionalText,
  orderId: optionalText,
  title: optionalText,
  siteId: optionalText,
  name: optionalText,
  domainName: optionalText
}

export const OrderDto = openStructOf<Order>("OrderDto", order)
