/**
 * The fields that several requests and responses share: their documentation, and their schemas.
 */
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

/** The identifier of a request. */
export interface Requested {
  /**
   * Identifier of the request, chosen by the merchant and unique per request: 1 to 128 characters without `|`
   * and control characters. The client makes one (UUIDv7) if it is absent. A request that is repeated with the
   * same requestId returns the original response (`spec.md`, "Conventions").
   */
  readonly requestId?: string
}

/** The fields of the input of every create. */
export interface CreateInput extends Requested {
  /**
   * Key-value pairs of the merchant, text to text; responses and callbacks return them unchanged (`spec.md`,
   * "Conventions").
   */
  readonly metadata?: Metadata
}

/** The URL of the callbacks, where it may be absent. */
export interface OptionalCallbackUrl {
  /**
   * Absolute http(s) URL that receives the callbacks of this request; without it there are none (`spec.md`,
   * "Events").
   */
  readonly callbackUrl?: string
}

/** The URLs of an operation that requires all of them. */
export interface PageUrls {
  /** Absolute http(s) URL that receives the callbacks of this request (`spec.md`, "Events"). */
  readonly callbackUrl: string
  /**
   * Absolute http(s) URL that the customer returns to after a success. The return does not confirm the payment
   * (`spec.md`, "Transaction statuses").
   */
  readonly successRedirectUrl: string
  /** Absolute http(s) URL that the customer returns to after a failure (`spec.md`, "Transaction statuses"). */
  readonly failureRedirectUrl: string
}

/** The merchant account of card operations. */
export interface CardAccount {
  /**
   * Merchant account of card operations, subscriptions, refunds, card payouts and intents (`spec.md`,
   * "Conventions").
   */
  readonly mid: string
}

/** The identifier that the service assigned. */
export interface Identified {
  /**
   * Identifier assigned by the service: 1 to 128 characters. Status and info reads take it
   * (`spec.md`, "Conventions").
   */
  readonly transactionId: TransactionId
}

/** The fields of every response about a transaction. */
export interface Answered extends UnknownFields {
  /**
   * Numeric reason of a decline, an integer; only with FAILED. Its values are not documented (`spec.md`,
   * "Conventions").
   */
  readonly declineCode?: number | null
  /** Key-value pairs of the request, returned unchanged (`spec.md`, "Conventions"). */
  readonly metadata?: Metadata | null
}

/** The status of a transaction, in responses of creates and reads. */
export interface Outcome extends Answered {
  /**
   * Status of the transaction: one of the nine, or an undocumented one, which is kept (`spec.md`, "Transaction
   * statuses").
   */
  readonly transactionStatus: OpenStatus
}

/** The addresses of a challenge, in responses to creates. */
export interface Challenge {
  /**
   * URL of the page of the 3-D Secure challenge, to redirect the customer to; only with CUSTOMER_VERIFICATION
   * (`spec.md`, "Transaction statuses").
   */
  readonly challengeUrl?: string | null
  /** URL of the same challenge for an iframe; only with CUSTOMER_VERIFICATION (`spec.md`, "Transaction statuses"). */
  readonly challengeUrlIframe?: string | null
}

/** The response to a create. */
export interface Created extends Outcome, Challenge {
  /** Kind of the payment: CARD or APM (`spec.md`, "Conventions"). */
  readonly paymentType?: PaymentType | null
}

/** The details of a transaction. */
export interface Details extends Identified, Outcome {
  /** Identifier of the request, chosen by the merchant (`spec.md`, "Conventions"). */
  readonly requestId?: string | null
  /** URL that receives the callbacks of the request (`spec.md`, "Events"). */
  readonly callbackUrl?: string | null
  /** Time of creation, ISO 8601 (`spec.md`, "Conventions"). */
  readonly createdAt?: string | null
}

/** The details of a transaction of a card. */
export interface CardDetails extends Details {
  /** Merchant account of card operations (`spec.md`, "Conventions"). */
  readonly mid?: string | null
  /**
   * Amount as decimal text in major units with every digit; a JSON number on the wire (`spec.md`, "Card payouts",
   * "Refunds").
   */
  readonly totalAmount?: string | null
}

/** Schema for an absolute http(s) URL. */
export const Url = Schema.String.check(
  Schema.isPattern(/^https?:\/\/[^\s]+$/u, { message: "Expected an absolute http(s) URL" })
)

/**
 * Schema for a callback URL. One with a parameter that the service adds would have it twice, and every callback would be
 * refused.
 */
export const CallbackUrl = Url.check(
  Schema.makeFilter((url) => {
    const [, query = ""] = /\?([^#]*)/u.exec(url) ?? []
    const isFree = ![...new URLSearchParams(query).keys()].some((name) =>
      Grammar.routing.test(name)
    )
    return isFree || "Expected a URL without the query parameters paymentMethod and apmType"
  })
)

/** Schemas of `Outcome`. */
export const outcome = {
  transactionStatus: OpenStatus,
  declineCode: Schema.optionalKey(Schema.NullOr(Schema.Int)),
  metadata: Schema.optionalKey(Schema.NullOr(Metadata))
}

/** Schemas of `Challenge`. */
export const challenge = { challengeUrl: nullableText, challengeUrlIframe: nullableText }

/** Schemas of `Created`. */
export const created = {
  ...outcome,
  ...challenge,
  paymentType: Schema.optionalKey(Schema.NullOr(PaymentType))
}

/** Schemas of `Details`, apart from the identifier. */
export const details = {
  requestId: nullableText,
  ...outcome,
  callbackUrl: nullableText,
  createdAt: nullableText
}

/** Schemas of the response to the creation of an APM payment or payout. */
export const apmCreated = {
  requestId: optionalText,
  transactionId: TransactionId,
  ...created,
  declineSubReason: nullableText,
  apmResponseData: Schema.optionalKey(Schema.NullOr(ApmResponseData)),
  createdTime: nullableText
}

/** Schemas of the fields of a customer. Only a request checks formats. */
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

/** Schemas of the fields that only the customer of an APM payment or payout has. */
export const apmPerson = {
  email: optionalText,
  ssn: secretText("ssn"),
  identityCode: secretText("identityCode")
}

/** Schema for the billing details of a subscription that is read. */
export const BillingDetailsDto = openStructOf<BillingDetails>("BillingDetailsDto", {
  ...person,
  email: Schema.String
})

/** Schema for the billing details in the info of an APM payout. */
export const ApmBillingDetailsDto = openStructOf<ApmBillingDetails>("ApmBillingDetailsDto", {
  ...person,
  ...apmPerson
})

/** Schemas of the fields of an order. Only a request checks the format of its date. */
export const order = {
  date: optionalText,
  orderId: optionalText,
  title: optionalText,
  siteId: optionalText,
  name: optionalText,
  domainName: optionalText
}

/** Schema for the order in the info of an APM payout. */
export const OrderDto = openStructOf<Order>("OrderDto", order)
