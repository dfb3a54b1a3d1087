/**
 * The silences of the specification, and the questions by which a service is asked about each.
 *
 * pawl assumes the first reading of a question in `Readings`, unless a profile has another.
 */
import type { Finding, Unprobed } from "../../Doctor.ts"
import type { Question } from "../../Readings.ts"
import * as Callbacks from "./Callbacks.ts"
import type { Reader } from "./Responses.ts"
import * as Responses from "./Responses.ts"
import * as Subscriptions from "./Subscriptions.ts"

/**
 * Question about a silence. `bears` tells whether pawl works with a reading that it does not
 * assume, without a switch.
 */
export interface Row extends Pick<Finding, "silence" | "question" | "title" | "ask" | "breaks"> {
  readonly steps: string
  readonly read: Reader
  readonly bears: (reading: string) => boolean
}

const any = () => true
const none = () => false
const only =
  (...readings: ReadonlyArray<string>) =>
  (reading: string) =>
    readings.includes(reading)

const row = (
  silence: number,
  question: Question,
  title: string,
  steps: string,
  read: Reader,
  bears: Row["bears"],
  ask: string,
  breaks?: string
): Row => ({ silence, question, title, steps, read, bears, ask, breaks })

// One row a line, so that all silences are on one screen.
// oxfmt-ignore
export const rows: ReadonlyArray<Row> = [
  row(1, "token", "Token field of /auth", "auth", Responses.token, only("access_token", "token", "jwt", "data.accessToken", "data.access_token", "data.token", "data.jwt", "a bare string"), "Which field of the response of POST /v1/auth carries the JWT?"),
  row(2, "checksum", "Request checksum", "payment", Responses.checksum, only("not checked"), "What separates the four fields of the request checksum, and is the hex in lower case?"),
  row(3, "payoutChecksum", "Payout checksum", "payout", Responses.payoutChecksum, only("required", "not checked"), "Must, may or must not an APM payout have a checksum?"),
  row(4, "callbackAmount", "Amount of a callback", "callbacks", Callbacks.callbackAmount, only("text without zeros at its end", "number without zeros at its end", "number with two decimals"), "How is the amount of a callback written, in the body and in the text of the checksum?"),
  row(5, "after401", "Callback answered 401", "callbacks", Callbacks.after401, none, "Is a callback sent again after 401, as after 500?"),
  row(7, "refundId", "{id} of a refund", "refund", Responses.refundId, none, "Which identifier do GET /v1/refunds/card/info/{id} and status/{id} take?"),
  row(27, "callbackType", "Content type of a callback", "callbacks", Callbacks.callbackType, none, "Which content type have callbacks?", "pawl answers every callback 415, and learns every status by reading alone"),
  row(0, "callbackQuery", "Query of a callbackUrl", "callbacks", Callbacks.callbackQuery, any, "Is the query of a callbackUrl kept?"),
  row(8, "layouts", "Layouts of callbacks", "callbacks", Callbacks.layouts, none, "Which fields do the callbacks of refunds, payouts and subscriptions have?"),
  row(8, "refundCallback", "transactionId of a refund callback", "callbacks", Callbacks.refundCallback, none, "Does transactionId in the callback of a refund name the refund or the payment?"),
  row(8, "nulls", "Fields without a value", "all", Responses.nulls, any, "Which fields of responses can be null?"),
  row(9, "refundPayment", "transactionId of a refund request", "refund", Responses.refundPayment, none, "Is transactionId of a refund a JSON integer, and are all identifiers integers?"),
  row(10, "unknown", "Undocumented fields and statuses", "all", Responses.unknown, (reading) => !reading.includes("status "), "What do these fields and statuses mean, and which others exist?"),
  row(13, "createdStatus", "Status of a create", "all", Responses.createdStatus, (reading) => /^answered 20[01]$/u.test(reading), "Which status has the response to a create?", "a create that succeeded may stay in doubt"),
  row(9, "requestIdEcho", "requestId in a response", "all", Responses.requestIdEcho, only("in upper case"), "Is the requestId returned as it was sent?", "every create stays in doubt, because its response has another requestId"),
  row(16, "totals", "Amounts in responses", "refund", Responses.totals, none, "Which unit has totalAmount?", "AMOUNTS MAY BE TAKEN A HUNDREDFOLD: do not pay anybody before the service has answered this"),
  row(0, "errorStatus", "Status of a refusal", "mistakes", Responses.errorStatus, none, "Which status has a refused request?", "a refused create stays in doubt"),
  row(0, "badToken", "Access token that is not valid", "mistakes", Responses.badToken, none, "Which status has a request with an access token that has expired?", "after a token is revoked, every call fails until pawl renews it at its usual time"),
  row(0, "unknownId", "Status of an unknown transaction", "mistakes", Responses.unknownId, none, "Which status has the read of an unknown transaction?", "payouts and refunds that nobody registered are never confirmed"),
  row(0, "statusBody", "Body of a status", "card payment", Responses.statusBody, only("plain text", "an object with transactionStatus"), "Is the status a JSON text?", "no payment is ever confirmed"),
  row(13, "decline", "Status of a declined create", "card payment", Responses.decline, none, "Which status has the response to a payment that is declined?", "a declined create stays in doubt"),
  row(0, "lang", "lang of a page", "hosted page", Responses.lang, none, "Which texts does lang take: two lower-case letters?", "no page can be made"),
  row(0, "intentMetadata", "Metadata of a page", "hosted page", Responses.intentMetadata, any, "May a payment intent have metadata?"),
  row(0, "payoutAccount", "accountId in the info of a payout", "payout", Responses.payoutAccount, any, "Are all accountIds integers?"),
  row(0, "intentErrorCode", "errorCode of a page", "hosted page", Responses.intentErrorCode, only('"0"', '"OK"'), "Which values has errorCode?", "a page that exists counts as rejected"),
  row(11, "metadata", "Metadata in responses to creates", "all", Responses.metadata, any, "Which responses return the metadata?"),
  row(12, "errorBody", "Body of a 400", "mistakes", Responses.errorBody, any, "What is the shape of an error body?"),
  row(13, "otherStatuses", "Status of a wrong method and type", "mistakes", Responses.otherStatuses, (reading) => /^4\d\d and 4\d\d$/u.test(reading), "Which HTTP statuses exist besides 400, 401, 404 and 500?"),
  row(14, "repeated", "requestId again, another body", "repeat", Responses.repeated, only("refused"), "What is the answer to a requestId that is repeated with another body, and for how long is it remembered?"),
  row(15, "tokenLifetime", "Lifetime that the token claims", "auth", Responses.tokenLifetime, any, "Does every JWT have exp, and how long is it valid?"),
  row(16, "decimals", "More than two decimals", "card payout", Responses.decimals, any, "How is an amount with more than two decimals rounded?"),
  row(17, "dates", "Format of times", "all", Subscriptions.dates, any, "In which format and time zone are createdTime and the dates of subscriptions?"),
  row(18, "interval", "interval of a plan", "subscription", Subscriptions.interval, none, "Is a WEEKLY plan with interval 3 charged every three weeks?"),
  row(18, "custom", "Frequency CUSTOM", "subscription", Subscriptions.custom, none, "Which unit does the interval of a CUSTOM plan count?"),
  row(19, "afterFirstCharge", "Subscription after its first charge", "subscription", Subscriptions.afterFirstCharge, any, "Which status has a new subscription?"),
  row(19, "afterSkippedCharge", "Subscription with skipFirstCharge", "subscription", Subscriptions.afterSkippedCharge, any, "Which status has a new subscription whose first charge is skipped?"),
  row(19, "putBody", "Response to a PUT", "subscription", Responses.putBody, none, "What is the response to the change of a subscription?", "a change of a subscription fails although it was made"),
  row(19, "putCanceled", "PUT of a CANCELED subscription", "subscription", Subscriptions.putCanceled, any, "Can a CANCELED subscription become ACTIVE again?"),
  row(19, "deleteCanceled", "DELETE of a CANCELED subscription", "subscription", Subscriptions.deleteCanceled, any, "What is the answer to a second DELETE?"),
  row(20, "putPending", "PUT of PENDING", "subscription", Subscriptions.putPending, any, "Can a PUT set PENDING or TRIALING?"),
  row(21, "cardToken", "Token of a tokenized card", "subscription", Subscriptions.cardToken, none, "What are the fields of card payments, tokenize and charge, and of their responses?"),
  row(23, "statusDelay", "Status right after the create", "status", Responses.statusDelay, only("within 60 s"), "How long after its create can a transaction be unknown to the status endpoint?"),
  row(24, "receiverTime", "Time to answer a callback", "callbacks", Callbacks.receiverTime, (reading) => Number.parseInt(reading.replace(/^at least /u, "")) >= 5, "How long does the service wait for the answer to a callback?"),
  row(25, "ssn", "ssn in billingDetails", "payout", Responses.ssn, any, "What are ssn and identityCode, and which formats have they?"),
  row(26, "limits", "Limits and deprecation in headers", "all", Responses.limits, (reading) => !/deprecation|sunset/u.test(reading), "Which limits have rates, amounts and lengths of fields, and how is a deprecation announced?"),
  row(0, "retries", "Repeats of a callback", "callbacks", Callbacks.retries, none, "When is a callback sent again that was answered 500?")
]

// oxfmt-ignore
export const unprobed: ReadonlyArray<Unprobed> = [
  { silence: 0, title: "Two final statuses", assumed: "a read settles it", why: "it needs a payment that fails first and succeeds later", ask: "Can a FAILED or CANCELLED payment become SUCCEED, and what does its status endpoint answer then?" },
  { silence: 0, title: "A final status while the status endpoint is down", assumed: "it is believed after a read", why: "nobody can take the service down", ask: "Do callbacks go out while the status endpoints are down?" },
  { silence: 0, title: "After CHARGEBACK", assumed: "SUCCEED may follow, if the merchant wins", why: "it takes months", ask: "Which status has a payment whose chargeback the merchant won?" },
  { silence: 0, title: "Length of a card number", assumed: "12 to 19 digits", why: "it needs cards of each length", ask: "How many digits may a card number have?" },
  { silence: 0, title: "Amount of zero", assumed: "sent as it is", why: "it would make payments that nobody understands", ask: "Is an amount of 0 refused?" },
  { silence: 0, title: "One requestId at two endpoints", assumed: "two requests", why: "the payment and the refund would need one name", ask: "Is a requestId unique for each endpoint, or for all of them?" },
  { silence: 6, title: "Rank of CANCELLED", assumed: "ranks 10, and is terminal", why: "no operation of the specification cancels a transaction", ask: "Which event cancels a transaction, and can a CANCELLED one still become SUCCEED?" },
  { silence: 22, title: "Gaps of polling", assumed: "5, 5, 10, 30 and 60 minutes, then growing", why: "it is a rule of the client, which no answer of the service shows", ask: "How often may the status of a transaction be read, and for how long?" }
]
