import { bugsOf } from "@pawl/test-support/Bugs"
import { randomUUID } from "node:crypto"
import type { Order, Service } from "../../src/Laws/Client.ts"
import { type ClientParts, minute, outcomeOf, right, sign } from "./handwrittenClient.ts"

const signed = (order: Order, { merchantSecret }: Service, separator?: string) => ({
  ...order,
  checksum: sign(order, merchantSecret, separator)
})

export const clients = bugsOf<Partial<ClientParts>>({
  "every attempt of a create": {
    "a new requestId for each retry": {
      body: (order, service, attempt) =>
        right.body({ ...order, ...(attempt > 1 && { requestId: randomUUID() }) }, service, attempt)
    },
    "a refund has a new requestId for each retry": {
      refund: (refund, attempt) => ({ ...refund, requestId: `${refund.requestId}-${attempt}` })
    }
  },
  "the outcome of a create": {
    "Declined is treated as success": {
      outcomeOf: (answer, ...rest) => outcomeOf({ ...answer, transactionStatus: "NEW" }, ...rest)
    },
    "a challenge is reported as a decline": {
      outcomeOf: (answer, ...rest) =>
        answer.transactionStatus === "CUSTOMER_VERIFICATION"
          ? outcomeOf({ ...answer, transactionStatus: "FAILED" }, ...rest)
          : outcomeOf(answer, ...rest)
    }
  },
  "a create that may have taken effect": {
    "every failure is reported as refused": {
      outcomeOf: (answer, status) => outcomeOf(answer, status, false)
    },
    "a 401 after a lost response is reported as refused": {
      outcomeOf: (answer, status, isDoubtful) =>
        outcomeOf(answer, status, isDoubtful && status !== 401)
    }
  },
  "a temporary failure is retried": {
    "a create is not retried": { createAttempts: 1 },
    "a broken connection is not retried": { retriesBroken: false }
  },
  "a refused create is reported as refused": {
    "400 is retried": { isTemporary: (status) => status >= 500 || status === 400 }
  },
  "the service receives the order exactly as given": {
    "the metadata is not sent": {
      body: (order, ...rest) => right.body({ ...order, metadata: {} }, ...rest)
    },
    "amounts are sent as numbers": {
      body: (order, service) =>
        JSON.stringify({ ...signed(order, service), amount: Number(order.amount) })
    },
    "amounts are written with two decimals": {
      body: (order, service) =>
        JSON.stringify(
          signed(
            /^[1-9]\d*(\.\d+)?$/u.test(order.amount)
              ? { ...order, amount: Number(order.amount).toFixed(2) }
              : order,
            service
          )
        )
    },
    "every order is in EUR": {
      body: (order, service) => JSON.stringify(signed({ ...order, currency: "EUR" }, service))
    },
    "every payment is one of a wallet": {
      body: (order, service) =>
        JSON.stringify({ ...signed(order, service), apmPayload: { paymentMethod: "WALLET" } })
    },
    "the checksum has no separator": {
      body: (order, service) => JSON.stringify(signed(order, service, ""))
    }
  },
  "no redirect is followed": {
    "a redirect of a refund is followed": {
      redirect: (path) => (path.includes("refunds") ? "follow" : "manual")
    }
  },
  "calls share one access token": {
    "concurrent calls each request a token": { sharesAuth: false },
    "any 401 discards the current token": { discardsOnlyOwnToken: false }
  },
  "a second 401 is an error": {
    "401 is retried without limit": { authAttempts: Infinity }
  },
  "the number of attempts is limited": {
    "the number of attempts of a read is not limited": { readAttempts: Infinity },
    "there is no wait between attempts": { wait: (_, retryAfter) => retryAfter }
  },
  "nothing is sent before the time of Retry-After": {
    "a read ignores Retry-After": {
      wait: (attempt, retryAfter, method) =>
        right.wait(attempt, method === "GET" ? 0 : retryAfter, method)
    }
  },
  "no error contains an access token": {
    "an error contains the request": {
      errorMessage: ({ status }, token) => `${status} for GET, authorization: Bearer ${token}`
    }
  },
  "an identifier is one segment of the path": {
    "an identifier is put into the path of a change unescaped": {
      path: (id, method) => (method === "PUT" ? id : right.path(id, method))
    },
    "an identifier is only escaped, which leaves `..`": { path: encodeURIComponent }
  },
  "a transaction is polled until": {
    "polling stops only at SUCCEED": { isTerminal: (status) => status === "SUCCEED" },
    "polling stops at an unknown status": {
      isTerminal: (status) =>
        !["", "NEW", "PENDING", "PROCESSING", "CUSTOMER_VERIFICATION"].includes(status)
    }
  },
  "the gaps between reads of a poll": {
    "polling reads every minute": { gaps: [minute] },
    "polling reads every 5 minutes": { gaps: [5 * minute] }
  },
  "a refund sends its transactionId": {
    "a refund's transactionId is a JavaScript number": { refundId: (id) => String(Number(id)) },
    "the amount of a refund is sent as a number": {
      refund: (refund) => ({ ...refund, amount: Number(refund.amount) })
    },
    "a refund's transactionId is text": { refundId: JSON.stringify }
  },
  "a subscription change is sent once": {
    "a PUT is retried": { changeAttempts: 5 }
  },
  "a cancellation answered 404": {
    "404 on DELETE is always a failure": { isCancelled: () => false },
    "404 on DELETE is always a success": { isCancelled: () => true }
  }
})
