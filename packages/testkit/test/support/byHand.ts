/**
 * A client as people write them, by hand and with `fetch`.
 */
import { createHmac } from "node:crypto"
import type { Client, Make, Order, Outcome, Service } from "../../src/Laws/Client.ts"

/** What a client does at the places where it can go wrong. */
export interface Habits {
  /** Makes the body of a try. */
  readonly body: (order: Order, service: Service, tries: number) => string
  readonly redirect: RequestRedirect
  readonly createTries: number
  /** How long it waits after a try, in milliseconds. */
  readonly wait: (tries: number, retryAfter: number) => number
  /** Whether a status may be asked for again. */
  readonly isPassing: (status: number) => boolean
  /** Whether a broken connection is tried again. */
  readonly mends: boolean
  readonly outcomeOf: (body: Answer, status: number, isDoubtful: boolean) => Outcome
  /** Whether concurrent calls share one request for a token, and one that was refused is known from another. */
  readonly sharesAuth: boolean
  readonly dropsOnlyItsOwn: boolean
  readonly authTries: number
  readonly path: (id: string) => string
  readonly isEnd: (status: string) => boolean
  readonly gaps: ReadonlyArray<number>
  readonly refundId: (id: string) => string
  readonly changeTries: number
  readonly isGone: (isDoubtful: boolean) => boolean
  readonly complaint: (response: Response, token: string) => string
}

interface Answer {
  readonly transactionId?: string
  readonly transactionStatus?: string
}

/** The checksum of a request. */
export const sign = (
  { accountId, amount, currency, requestId }: Order,
  secret: string,
  joint = "|"
) =>
  createHmac("sha256", secret)
    .update([accountId, requestId, amount, currency].join(joint))
    .digest("hex")

/** What an answer means. */
export const outcomeOf: Habits["outcomeOf"] = (
  { transactionId, transactionStatus },
  status,
  isDoubtful
) =>
  status !== 200 || transactionId === undefined
    ? { outcome: isDoubtful ? "unknown" : "refused" }
    : { outcome: transactionStatus === "FAILED" ? "declined" : "accepted", transactionId }

export const minute = 60_000

/** What one does that is right. */
export const right: Habits = {
  body: (order, { merchantSecret }) =>
    JSON.stringify({ ...order, checksum: sign(order, merchantSecret) }),
  redirect: "manual",
  createTries: 5,
  wait: (tries, retryAfter) => Math.max(200 * 2 ** tries, retryAfter),
  isPassing: (status) => status >= 500,
  mends: true,
  outcomeOf,
  sharesAuth: true,
  dropsOnlyItsOwn: true,
  authTries: 2,
  path: (id) => {
    if (!/^[\w-]+$/u.test(id)) throw new Error("no such identifier")
    return id
  },
  isEnd: (status) => ["SUCCEED", "FAILED", "CANCELLED", "REFUNDED", "CHARGEBACK"].includes(status),
  gaps: [5, 5, 10, 30, 60].map((each) => each * minute),
  refundId: (id) => id,
  changeTries: 1,
  isGone: (isDoubtful) => isDoubtful,
  complaint: ({ status }) => `the service answered ${status}`
}

/** A try: the response with its body, or that none came. */
type Tried = { readonly response: Response; readonly text: string } | undefined

/** Makes a client with these habits. */
export const byHand =
  (over: Partial<Habits> = {}): Make =>
  (service) => {
    const habits = { ...right, ...over }
    const { baseUrl, fetch, merchantKey, merchantSecret, sleep } = service
    const headers = { "content-type": "application/json" }
    let token: string | undefined
    let asking: Promise<string> | undefined

    const authenticate = async (): Promise<string> => {
      const body = JSON.stringify({ merchantKey, merchantSecret })
      const response = await fetch(`${baseUrl}/v1/auth`, { method: "POST", headers, body })
      token = ((await response.json()) as { readonly accessToken: string }).accessToken
      return token
    }
    const getToken = async (): Promise<string> => {
      if (token !== undefined) return token
      if (!habits.sharesAuth) return await authenticate()
      asking ??= authenticate().finally(() => (asking = undefined))
      return await asking
    }

    const once = async (method: string, path: string, body?: string): Promise<Tried> => {
      for (let tries = 1; ; tries++) {
        const used = await getToken()
        const init = { method, headers: { ...headers, authorization: `Bearer ${used}` } }
        const { redirect } = habits
        let tried: Tried
        try {
          const response = await fetch(`${baseUrl}${path}`, {
            ...init,
            redirect,
            ...(body && { body })
          })
          tried = { response, text: await response.text() }
        } catch {
          return undefined
        }
        if (tried.response.status !== 401) return tried
        if (!habits.dropsOnlyItsOwn || token === used) token = undefined
        if (tries === habits.authTries) return tried
      }
    }

    /** Tries until there is an answer for good; `isDoubtful` when a try before may have been carried out. */
    const call = async (
      method: string,
      path: string,
      bodyOf?: (tries: number) => string,
      most = 5
    ) => {
      let isDoubtful = false
      for (let n = 1; ; n++) {
        const tried = await once(method, path, bodyOf?.(n))
        const status = tried?.response.status ?? 0
        const isBroken = status === 200 && !isJson(tried?.text ?? "")
        const passes = tried === undefined ? habits.mends : habits.isPassing(status) || isBroken
        if (!passes || n >= most) {
          return {
            ...tried,
            status,
            isDoubtful: isDoubtful || passes || tried === undefined || isBroken
          }
        }
        isDoubtful = true
        const retryAfter = Number(tried?.response.headers.get("retry-after") ?? 0) * 1000
        await sleep(habits.wait(n, retryAfter))
      }
    }

    const demand = async (answer: ReturnType<typeof call>) => {
      const { response, status, text = "" } = await answer
      if (response === undefined) throw new Error("the service cannot be reached")
      if (status >= 300) throw new Error(habits.complaint(response, token ?? ""))
      return text
    }

    const status = async (id: string): Promise<string> =>
      JSON.parse(await demand(call("GET", `/v1/payments/apm/status/${habits.path(id)}`)))

    return {
      create: async (order) => {
        const {
          isDoubtful,
          status,
          text = ""
        } = await call(
          "POST",
          "/v1/payments/apm",
          (tries) => habits.body(order, service, tries),
          habits.createTries
        )
        const answer: Answer = isJson(text) ? JSON.parse(text) : {}
        return habits.outcomeOf(answer, status, isDoubtful)
      },
      status,
      follow: async (id) => {
        for (let n = 0; ; n++) {
          const found = await status(id).catch(() => "")
          if (habits.isEnd(found)) return found
          await sleep(habits.gaps[n] ?? habits.gaps.at(-1) ?? 0)
        }
      },
      refund: ({ transactionId, ...refund }) => {
        const text = JSON.stringify(refund)
        const body = `{"transactionId":${habits.refundId(transactionId)},${text.slice(1)}`
        return demand(call("POST", "/v1/refunds/card", () => body))
      },
      change: (id) => {
        const path = `/v1/payments/card/recurring/${habits.path(id)}`
        return demand(call("PUT", path, () => `{"status":"PAUSED"}`, habits.changeTries))
      },
      cancel: async (id) => {
        const path = `/v1/payments/card/recurring/${habits.path(id)}`
        const answer = await call("DELETE", path)
        if (answer.status === 404 && habits.isGone(answer.isDoubtful)) return
        await demand(Promise.resolve(answer))
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
