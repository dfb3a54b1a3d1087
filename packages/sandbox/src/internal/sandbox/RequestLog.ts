/**
 * The latest requests to the service. Bodies are kept without their secrets.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Request, Response } from "@pawl/testkit/internal/Behaviour"
import { EventFeed } from "./EventFeed.ts"
import { masked } from "./Masked.ts"

/**
 * Request to the service. `status` is 0 if the connection was reset. `requestId` and
 * `transactionId` are set if the request or its response names them.
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

/** Request with its bodies, each undefined if there is none to show. */
export interface Exchange extends LoggedRequest {
  readonly sent: string | undefined
  readonly received: string | undefined
}

interface Kept extends Pick<Exchange, "sent" | "received"> {
  readonly logged: LoggedRequest
}

/** Log of the requests. `list` returns the latest 500, newest first, without bodies. */
export interface RequestLog {
  readonly record: (
    request: Request,
    response: Response | undefined,
    fault: string | undefined
  ) => Effect.Effect<void>
  readonly list: () => ReadonlyArray<LoggedRequest>
  readonly find: (id: string) => Exchange | undefined
  readonly clear: () => void
}

export const make: Effect.Effect<RequestLog, never, EventFeed> = Effect.map(
  EventFeed,
  ({ publish }) => {
    let requests: Array<Kept> = []
    let count = 0
    return {
      record: (request, response, fault) =>
        Effect.map(DateTime.now, (now) => {
          const [path = ""] = request.path.split("?")
          const body = utf8.decode(request.body)
          const logged: LoggedRequest = {
            id: String(++count),
            at: DateTime.formatIso(now),
            method: request.method,
            path,
            status: response?.status ?? 0,
            requestId: requestId.exec(body)?.[1],
            transactionId:
              idInPath.exec(path)?.[1] ??
              idInResponse.exec(response?.status === 200 ? response.body : "")?.[1],
            fault
          }
          requests.push({ logged, sent: masked(body), received: masked(response?.body ?? "") })
          if (requests.length >= 2 * mostRequests) requests = requests.slice(-mostRequests)
          publish("request", logged)
        }),
      list: () =>
        requests
          .slice(-mostRequests)
          .map(({ logged }) => logged)
          .toReversed(),
      find: (id) => {
        const found = requests.find(({ logged }) => logged.id === id)
        return found && { ...found.logged, sent: found.sent, received: found.received }
      },
      clear: () => {
        requests = []
      }
    }
  }
)

const mostRequests = 500

const utf8 = new TextDecoder()

/** The identifiers that are logged: only well-formed ones. */
const requestId = /"requestId"\s*:\s*"([\w.:-]{1,64})"/u
const idInResponse = /"(?:transactionId|refundId)":"([0-9]{1,20})"/u
const idInPath = /\/([0-9]{1,20})$/u
