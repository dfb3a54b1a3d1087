/**
 * The latest requests to the service, without what was in them.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Answer, Request } from "../gateway/Contract.ts"
import { Feed } from "./Feed.ts"

/**
 * A request that was made. `status` is 0 when the connection was broken off; `requestId` and
 * `transactionId` are there where the request and its answer name one.
 */
export interface Passed {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestId?: string | undefined
  readonly transactionId?: string | undefined
  readonly fault?: string | undefined
}

/** Keeps the latest 500 requests; `list` begins with the newest. */
export interface Traffic {
  readonly note: (
    request: Request,
    answer: Answer | undefined,
    fault: string | undefined
  ) => Effect.Effect<void>
  readonly list: () => ReadonlyArray<Passed>
  readonly clear: () => void
}

/** Makes the traffic of a service that nobody asked anything yet. */
export const make: Effect.Effect<Traffic, never, Feed> = Effect.map(Feed, ({ tell }) => {
  let latest: Array<Passed> = []
  let count = 0
  return {
    note: (request, answer, fault) =>
      Effect.map(DateTime.now, (now) => {
        const [path = ""] = request.path.split("?")
        const passed: Passed = {
          id: String(++count),
          at: DateTime.formatIso(now),
          method: request.method,
          path,
          status: answer?.status ?? 0,
          requestId: requestId.exec(utf8.decode(request.body))?.[1],
          transactionId:
            named.exec(path)?.[1] ?? made.exec(answer?.status === 200 ? answer.body : "")?.[1],
          fault
        }
        latest.push(passed)
        if (latest.length >= 2 * kept) latest = latest.slice(-kept)
        tell("request", passed)
      }),
    list: () => latest.slice(-kept).toReversed(),
    clear: () => {
      latest = []
    }
  }
})

const kept = 500

const utf8 = new TextDecoder()

/** Identifiers only: whatever else stands in their place is nobody's business. */
const requestId = /"requestId"\s*:\s*"([\w.:-]{1,64})"/u
const made = /"(?:transactionId|refundId)":"([0-9]{1,20})"/u
const named = /\/([0-9]{1,20})$/u
