/**
 * The latest requests to the service, without their content.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Request, Response } from "../gateway/Contract.ts"
import { EventFeed } from "./EventFeed.ts"

/**
 * A request to the service. `status` is 0 if the connection was reset. `requestId` and `transactionId` are
 * set if the request or its response names them.
 */
export interface LoggedRequest {
  readonly id: string
  readonly at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly requestId?: string | undefined
  readonly transactionId?: string | undefined
  readonly fault?: string | undefined
}

/** Keeps the latest 500 requests; `list` returns the newest first. */
export interface RequestLog {
  readonly record: (
    request: Request,
    response: Response | undefined,
    fault: string | undefined
  ) => Effect.Effect<void>
  readonly list: () => ReadonlyArray<LoggedRequest>
  readonly clear: () => void
}

/** Makes an empty request log. */
export const make: Effect.Effect<RequestLog, never, EventFeed> = Effect.map(
  EventFeed,
  ({ publish }) => {
    let requests: Array<LoggedRequest> = []
    let count = 0
    return {
      record: (request, response, fault) =>
        Effect.map(DateTime.now, (now) => {
          const [path = ""] = request.path.split("?")
          const logged: LoggedRequest = {
            id: String(++count),
            at: DateTime.formatIso(now),
            method: request.method,
            path,
            status: response?.status ?? 0,
            requestId: requestId.exec(utf8.decode(request.body))?.[1],
            transactionId:
              idInPath.exec(path)?.[1] ??
              idInResponse.exec(response?.status === 200 ? response.body : "")?.[1],
            fault
          }
          requests.push(logged)
          if (requests.length >= 2 * mostRequests) requests = requests.slice(-mostRequests)
          publish("request", logged)
        }),
      list: () => requests.slice(-mostRequests).toReversed(),
      clear: () => {
        requests = []
      }
    }
  }
)

const mostRequests = 500

const utf8 = new TextDecoder()

/** Only well-formed identifiers are logged. */
const requestId = /"requestId"\s*:\s*"([\w.:-]{1,64})"/u
const idInResponse = /"(?:transactionId|refundId)":"([0-9]{1,20})"/u
const idInPath = /\/([0-9]{1,20})$/u
