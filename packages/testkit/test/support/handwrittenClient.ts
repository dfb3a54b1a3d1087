/** A client over `fetch`, made of parts that planted bugs replace one by one. */
import { bugsOf } from "@pawl/test-support/Bugs"
import { createHmac, randomUUID } from "node:crypto"
import type { Client, Make, Order, Outcome, Refund, Service } from "../../src/Laws/Client.ts"

interface ClientParts {
  readonly body: (order: Order, service: Service, attempt: number) => string
  readonly redirect: (path: string) => RequestRedirect
  readonly createAttempts: number
  readonly readAttempts: number
  /** The milliseconds to wait after an attempt. */
  readonly wait: (attempt: number, retryAfter: number, method: string) => number
  readonly isTemporary: (status: number) => boolean
  readonly retriesBroken: boolean
  readonly outcomeOf: (body: PaymentBody, status: number, isDoubtful: boolean) => Outcome
  /**
   * Whether concurrent calls share one token request, and a 401 discards the refused token only.
   */
  readonly sharesAuth: boolean
  readonly discardsOnlyOwnToken: boolean
  readonly authAttempts: number
  readonly path: (id: string, method: string) => string
  readonly isTerminal: (status: string) => boolean
  readonly gaps: ReadonlyArray<number>
  readonly refundId: (id: string) => string
  readonly refund: (refund: Omit<Refund, "transactionId">, attempt: number) => object
  readonly changeAttempts: number
  readonly isCancelled: (isDoubtful: boolean) => boolean
  readonly errorMessage: (response: Response, token: string) => string
}

interface PaymentBody {
  readonly transactionId?: string
  readonly transactionStatus?: string
}

const sign = ({ accountId, amount, currency, requestId }: Order, secret: string, separator = "|") =>
  createHmac("sha256", secret)
    .update([accountId, requestId, amount, currency].join(separator))
    .digest("hex")

const outcomeOf: ClientParts["outcomeOf"] = (
  { transactionId, transactionStatus },
  status,
  isDoubtful
) =>
  status !== 200 || transactionId === undefined
    ? { outcome: isDoubtful ? "unknown" : "refused" }
    : { outcome: transactionStatus === "FAILED" ? "declined" : "accepted", transactionId }

const minute = 60_000

const right: ClientParts = {
  body: (order, { merchantSecret }) =>
    JSON.stringify({ ...order, checksum: sign(order, merchantSecret) }),
  redirect: () => "manual",
  createAttempts: 5,
  readAttempts: 5,
  wait: (attempt, retryAfter) => Math.max(200 * 2 ** attempt, retryAfter),
  isTemporary: (status) => status >= 500,
  retriesBroken: true,
  outcomeOf,
  sharesAuth: true,
  discardsOnlyOwnToken: true,
  authAttempts: 2,
  path: (id) => {
    if (!/^[\w-]+$/u.test(id)) throw new Error("invalid identifier")
    return id
  },
  isTerminal: (status) =>
    ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"].includes(status),
  gaps: [5, 5, 10, 30, 60].map((each) => each * minute),
  refundId: (id) => id,
  refund: (refund) => refund,
  changeAttempts: 1,
  isCancelled: (isDoubtful) => isDoubtful,
  errorMessage: ({ status }) => `the service answered ${status}`
}

type Attempted = { readonly response: Response; readonly text: string } | undefined

export const handwrittenClient =
  (replaced: Partial<ClientParts> = {}): Make =>
  (service) => {
    const parts = { ...right, ...replaced }
    const { baseUrl, fetch, merchantKey, merchantSecret, sleep } = service
    const headers = { "content-type": "application/json" }
    let token: string | undefined
    let tokenRequest: Promise<string> | undefined

    const authenticate = async (): Promise<string> => {
      const body = JSON.stringify({ merchantKey, merchantSecret })
      const response = await fetch(`${baseUrl}/v1/auth`, { method: "POST", headers, body })
      token = ((await response.json()) as { readonly accessToken: string }).accessToken
      return token
    }
    const getToken = async (): Promise<string> => {
      if (token !== undefined) return token
      if (!parts.sharesAuth) return await authenticate()
      tokenRequest ??= authenticate().finally(() => (tokenRequest = undefined))
      return await tokenRequest
    }

    const once = async (method: string, path: string, body?: string): Promise<Attempted> => {
      for (let attempt = 1; ; attempt++) {
        const used = await getToken()
        const init = { method, headers: { ...headers, authorization: `Bearer ${used}` } }
        const { redirect } = parts
        let attempted: Attempted
        try {
          const response = await fetch(`${baseUrl}${path}`, {
            ...init,
            redirect: redirect(path),
            ...(body && { body })
          })
          attempted = { response, text: await response.text() }
        } catch {
          return undefined
        }
        if (attempted.response.status !== 401) return attempted
        if (!parts.discardsOnlyOwnToken || token === used) token = undefined
        if (attempt === parts.authAttempts) return attempted
      }
    }

    /** Retries until a final response. `isDoubtful`: an earlier attempt may have taken effect. */
    const call = async (
      method: string,
      path: string,
      bodyOf?: (attempt: number) => string,
      maxAttempts = 5
    ) => {
      let isDoubtful = false
      for (let n = 1; ; n++) {
        const attempted = await once(method, path, bodyOf?.(n))
        const status = attempted?.response.status ?? 0
        const isBroken = status === 200 && !isJson(attempted?.text ?? "")
        const isRetried =
          attempted === undefined ? parts.retriesBroken : parts.isTemporary(status) || isBroken
        if (!isRetried || n >= maxAttempts) {
          return {
            ...attempted,
            status,
            isDoubtful: isDoubtful || isRetried || attempted === undefined || isBroken
          }
        }
        isDoubtful = true
        const retryAfter = Number(attempted?.response.headers.get("retry-after") ?? 0) * 1000
        await sleep(parts.wait(n, retryAfter, method))
      }
    }

    const expectSuccess = async (called: ReturnType<typeof call>) => {
      const { response, status, text = "" } = await called
      if (response === undefined) throw new Error("the service cannot be reached")
      if (status >= 300) throw new Error(parts.errorMessage(response, token ?? ""))
      return text
    }

    const status = async (id: string): Promise<string> =>
      JSON.parse(
        await expectSuccess(
          call(
            "GET",
            `/v1/payments/apm/status/${parts.path(id, "GET")}`,
            undefined,
            parts.readAttempts
          )
        )
      )

    return {
      create: async (order) => {
        const {
          isDoubtful,
          status,
          text = ""
        } = await call(
          "POST",
          "/v1/payments/apm",
          (attempt) => parts.body(order, service, attempt),
          parts.createAttempts
        )
        const body: PaymentBody = isJson(text) ? JSON.parse(text) : {}
        return parts.outcomeOf(body, status, isDoubtful)
      },
      status,
      follow: async (id) => {
        for (let n = 0; ; n++) {
          const current = await status(id).catch(() => "")
          if (parts.isTerminal(current)) return current
          await sleep(parts.gaps[n] ?? parts.gaps.at(-1) ?? 0)
        }
      },
      refund: ({ transactionId, ...refund }) => {
        const bodyOf = (attempt: number) => {
          const text = JSON.stringify(parts.refund(refund, attempt))
          return `{"transactionId":${parts.refundId(transactionId)},${text.slice(1)}`
        }
        return expectSuccess(call("POST", "/v1/refunds/card", bodyOf))
      },
      change: (id) => {
        const path = `/v1/payments/card/recurring/${parts.path(id, "PUT")}`
        return expectSuccess(call("PUT", path, () => `{"status":"PAUSED"}`, parts.changeAttempts))
      },
      cancel: async (id) => {
        const path = `/v1/payments/card/recurring/${parts.path(id, "DELETE")}`
        const called = await call("DELETE", path)
        if (called.status === 404 && parts.isCancelled(called.isDoubtful)) return
        await expectSuccess(Promise.resolve(called))
      }
    } satisfies Client
  }

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

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
