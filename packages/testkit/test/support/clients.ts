import { randomUUID } from "node:crypto"
import type { Order, Service } from "../../src/Laws/Client.ts"
import { type ClientParts, minute, outcomeOf, right, sign } from "./handwrittenClient.ts"

const signed = (order: Order, { merchantSecret }: Service, separator?: string) => ({
  ...order,
  checksum: sign(order, merchantSecret, separator)
})

/** Planted bugs of a client, each with the beginning of its law's name. */
export const clients: ReadonlyArray<
  readonly [bug: string, law: string, parts: Partial<ClientParts>]
> = [
  [
    "a new requestId for each retry",
    "every attempt of a create",
    {
      body: (order, service, attempt) =>
        right.body({ ...order, ...(attempt > 1 && { requestId: randomUUID() }) }, service, attempt)
    }
  ],
  [
    "Declined is treated as success",
    "the outcome of a create",
    {
      outcomeOf: (answer, ...rest) => outcomeOf({ ...answer, transactionStatus: "NEW" }, ...rest)
    }
  ],
  [
    "every failure is reported as refused",
    "a create that may have taken effect",
    { outcomeOf: (answer, status) => outcomeOf(answer, status, false) }
  ],
  [
    "a 401 after a lost response is reported as refused",
    "a create that may have taken effect",
    {
      outcomeOf: (answer, status, isDoubtful) =>
        outcomeOf(answer, status, isDoubtful && status !== 401)
    }
  ],
  ["a create is not retried", "a temporary failure is retried", { createAttempts: 1 }],
  [
    "a broken connection is not retried",
    "a temporary failure is retried",
    { retriesBroken: false }
  ],
  [
    "400 is retried",
    "a refused create is reported as refused",
    { isTemporary: (status) => status >= 500 || status === 400 }
  ],
  [
    "the metadata is not sent",
    "the service receives the order exactly as given",
    { body: (order, ...rest) => right.body({ ...order, metadata: {} }, ...rest) }
  ],
  [
    "a challenge is reported as a decline",
    "the outcome of a create",
    {
      outcomeOf: (answer, ...rest) =>
        answer.transactionStatus === "CUSTOMER_VERIFICATION"
          ? outcomeOf({ ...answer, transactionStatus: "FAILED" }, ...rest)
          : outcomeOf(answer, ...rest)
    }
  ],
  [
    "amounts are sent as numbers",
    "the service receives the order exactly as given",
    {
      body: (order, service) =>
        JSON.stringify({ ...signed(order, service), amount: Number(order.amount) })
    }
  ],
  [
    "amounts are written with two decimals",
    "the service receives the order exactly as given",
    {
      body: (order, service) =>
        JSON.stringify(
          signed(
            /^[1-9]\d*(\.\d+)?$/u.test(order.amount)
              ? { ...order, amount: Number(order.amount).toFixed(2) }
              : order,
            service
          )
        )
    }
  ],
  [
    "every order is in EUR",
    "the service receives the order exactly as given",
    { body: (order, service) => JSON.stringify(signed({ ...order, currency: "EUR" }, service)) }
  ],
  [
    "every payment is one of a wallet",
    "the service receives the order exactly as given",
    {
      body: (order, service) =>
        JSON.stringify({ ...signed(order, service), apmPayload: { paymentMethod: "WALLET" } })
    }
  ],
  [
    "the checksum has no separator",
    "the service receives the order exactly as given",
    { body: (order, service) => JSON.stringify(signed(order, service, "")) }
  ],
  [
    "a redirect of a refund is followed",
    "no redirect is followed",
    { redirect: (path) => (path.includes("refunds") ? "follow" : "manual") }
  ],
  ["concurrent calls each request a token", "calls share one access token", { sharesAuth: false }],
  [
    "any 401 discards the current token",
    "calls share one access token",
    { discardsOnlyOwnToken: false }
  ],
  ["401 is retried without limit", "a second 401 is an error", { authAttempts: Infinity }],
  [
    "the number of attempts of a read is not limited",
    "the number of attempts is limited",
    { readAttempts: Infinity }
  ],
  [
    "there is no wait between attempts",
    "the number of attempts is limited",
    { wait: (_, retryAfter) => retryAfter }
  ],
  [
    "a read ignores Retry-After",
    "nothing is sent before the time of Retry-After",
    {
      wait: (attempt, retryAfter, method) =>
        right.wait(attempt, method === "GET" ? 0 : retryAfter, method)
    }
  ],
  [
    "an error contains the request",
    "no error contains an access token",
    { errorMessage: ({ status }, token) => `${status} for GET, authorization: Bearer ${token}` }
  ],
  [
    "an identifier is put into the path of a change unescaped",
    "an identifier is one segment of the path",
    { path: (id, method) => (method === "PUT" ? id : right.path(id, method)) }
  ],
  [
    "an identifier is only escaped, which leaves `..`",
    "an identifier is one segment of the path",
    { path: encodeURIComponent }
  ],
  [
    "polling stops only at SUCCEED",
    "a transaction is polled until",
    { isTerminal: (status) => status === "SUCCEED" }
  ],
  [
    "polling stops at an unknown status",
    "a transaction is polled until",
    {
      isTerminal: (status) =>
        !["", "NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"].includes(status)
    }
  ],
  ["polling reads every minute", "the gaps between reads of a poll", { gaps: [minute] }],
  ["polling reads every 5 minutes", "the gaps between reads of a poll", { gaps: [5 * minute] }],
  [
    "a refund's transactionId is a JavaScript number",
    "a refund sends its transactionId",
    { refundId: (id) => String(Number(id)) }
  ],
  [
    "a refund has a new requestId for each retry",
    "every attempt of a create",
    { refund: (refund, attempt) => ({ ...refund, requestId: `${refund.requestId}-${attempt}` }) }
  ],
  [
    "the amount of a refund is sent as a number",
    "a refund sends its transactionId",
    { refund: (refund) => ({ ...refund, amount: Number(refund.amount) }) }
  ],
  [
    "a refund's transactionId is text",
    "a refund sends its transactionId",
    { refundId: JSON.stringify }
  ],
  ["a PUT is retried", "a subscription change is sent once", { changeAttempts: 5 }],
  [
    "404 on DELETE is always a failure",
    "a cancellation answered 404",
    { isCancelled: () => false }
  ],
  ["404 on DELETE is always a success", "a cancellation answered 404", { isCancelled: () => true }]
]
