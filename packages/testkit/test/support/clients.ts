/**
 * Clients with a bug each: the one written by hand, with one habit that is wrong.
 */
import { randomUUID } from "node:crypto"
import type { Order, Service } from "../../src/Laws/Client.ts"
import { type Habits, minute, outcomeOf, right, sign } from "./byHand.ts"

const signed = (order: Order, { merchantSecret }: Service, joint?: string) => ({
  ...order,
  checksum: sign(order, merchantSecret, joint)
})

/** Every planted bug of a client, with the beginning of the law that is to catch it. */
export const clients: ReadonlyArray<readonly [bug: string, law: string, habits: Partial<Habits>]> =
  [
    [
      "a new requestId for each retry",
      "every try of a create is the same bytes",
      {
        body: (order, service, tries) =>
          right.body({ ...order, ...(tries > 1 && { requestId: randomUUID() }) }, service, tries)
      }
    ],
    [
      "Declined is treated as success",
      "what a create is answered is the truth",
      {
        outcomeOf: (answer, ...rest) => outcomeOf({ ...answer, transactionStatus: "NEW" }, ...rest)
      }
    ],
    [
      "what failed is called refused",
      "a create that may have taken effect is never called refused",
      { outcomeOf: (answer, status) => outcomeOf(answer, status, false) }
    ],
    ["a create is not tried again", "what failed in passing is tried again", { createTries: 1 }],
    [
      "a broken connection is not tried again",
      "what failed in passing is tried again",
      { mends: false }
    ],
    [
      "400 is tried again",
      "what the service refuses is called refused",
      { isPassing: (status) => status >= 500 || status === 400 }
    ],
    [
      "amounts are numbers",
      "what is asked for is what was ordered",
      {
        body: (order, service) =>
          JSON.stringify({ ...signed(order, service), amount: Number(order.amount) })
      }
    ],
    [
      "amounts are made to look alike",
      "what is asked for is what was ordered",
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
      "the checksum has no separator",
      "what is asked for is what was ordered",
      { body: (order, service) => JSON.stringify(signed(order, service, "")) }
    ],
    ["a redirect is followed", "no redirect is followed", { redirect: "follow" }],
    ["no single flight", "a token serves every call until it is refused", { sharesAuth: false }],
    [
      "any 401 throws the token away",
      "a token serves every call until it is refused",
      { dropsOnlyItsOwn: false }
    ],
    ["401 is retried without end", "a second 401 is an error", { authTries: Infinity }],
    ["tries have no end", "tries come to an end", { createTries: Infinity }],
    [
      "tries have no wait between them",
      "tries come to an end",
      { wait: (_, retryAfter) => retryAfter }
    ],
    [
      "Retry-After is not looked at",
      "nothing is sent before the Retry-After",
      { wait: (tries) => right.wait(tries, 0) }
    ],
    [
      "an error shows the request",
      "no error tells a token or the secret",
      { complaint: ({ status }, token) => `${status} for GET, authorization: Bearer ${token}` }
    ],
    [
      "an identifier goes into the path as it is",
      "an identifier is one segment of the path",
      { path: (id) => id }
    ],
    [
      "an identifier is escaped, which leaves `..`",
      "an identifier is one segment of the path",
      { path: encodeURIComponent }
    ],
    [
      "the poll stops at SUCCEED, and at nothing else",
      "a transaction is followed to its end",
      { isEnd: (status) => status === "SUCCEED" }
    ],
    [
      "the poll stops at what nobody knows",
      "a transaction is followed to its end",
      {
        isEnd: (status) =>
          !["", "NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"].includes(status)
      }
    ],
    ["the poll asks every minute", "a poll waits longer and longer", { gaps: [minute] }],
    ["the poll asks every 5 minutes", "a poll waits longer and longer", { gaps: [5 * minute] }],
    [
      "a refund's transactionId is a number of JavaScript",
      "a refund names its payment by an Integer",
      { refundId: (id) => String(Number(id)) }
    ],
    [
      "a refund's transactionId is text",
      "a refund names its payment by an Integer",
      { refundId: JSON.stringify }
    ],
    ["a PUT is tried again", "a change is sent once", { changeTries: 5 }],
    [
      "404 on DELETE is a failure, whatever came before",
      "a cancellation that finds nothing left",
      { isGone: () => false }
    ],
    ["404 on DELETE is success", "a cancellation that finds nothing left", { isGone: () => true }]
  ]
