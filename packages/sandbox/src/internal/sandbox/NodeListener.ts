/**
 * The listener of `node:http` for the service. A router, with its route, scope and stream, takes
 * twice the CPU time.
 */
import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Faults } from "@pawl/testkit/Faults"
import { Gateway } from "@pawl/testkit/Gateway"
import type { Request } from "@pawl/testkit/internal/Behaviour"
import { jsonResponse, maxBytes, tooLarge } from "@pawl/testkit/internal/gateway/Contract"
import { EventFeed } from "./EventFeed.ts"
import * as FaultedResponse from "@pawl/testkit/internal/faults/FaultedResponse"
import type { RequestLog } from "./RequestLog.ts"

/**
 * Makes the listener. A `Host` that is not the sandbox's own is 403, a body of more than 64 KiB is
 * 413.
 */
export const make = Effect.fnUntraced(function* (
  requestLog: RequestLog,
  isOwnHost: (host: string | undefined) => boolean
): Effect.fn.Return<RequestListener, never, Faults | EventFeed | Gateway | Scope.Scope> {
  const gateway = yield* Gateway
  const faults = yield* Faults
  const { publish } = yield* EventFeed
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context())

  const publishFaults = Effect.map(faults.list, (list) => publish("faults", list))

  const respond = (request: Request, response: ServerResponse) =>
    Effect.flatMap(faults.strike(request.method, request.path), (fault) => {
      const sent = Effect.flatMap(
        FaultedResponse.make(fault, gateway.handle(request)),
        (faulted) => {
          const whole = faulted._tag === "whole" ? faulted.response : undefined
          return Effect.map(requestLog.record(request, whole, fault), () => send(faulted, response))
        }
      )
      return fault === undefined ? sent : Effect.andThen(publishFaults, sent)
    })

  return (incoming, response) => {
    if (!isOwnHost(incoming.headers.host)) {
      incoming.resume()
      return send(forbidden, response)
    }
    const body = new BodyBuffer(maxBytes)
    let isTooLarge = false
    incoming.on("data", (chunk: Uint8Array) => {
      isTooLarge ||= !body.add(chunk)
    })
    incoming.on("end", () => {
      if (isTooLarge) return send({ _tag: "whole", response: tooLarge }, response)
      const fiber = fork(respond(toRequest(incoming, body.bytes), response))
      if (fiber.pollUnsafe() === undefined) Fiber.runIn(fiber, scope)
    })
  }
})

/** Returns the path of a request, whose URL may begin with a host. */
export const pathOf = ({ url = "" }: IncomingMessage): string =>
  url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*/iu, "")

const forbidden: FaultedResponse.FaultedResponse = {
  _tag: "whole",
  response: jsonResponse(403, {
    message: "Only this machine has access: use the address 127.0.0.1"
  })
}

const toRequest = (incoming: IncomingMessage, body: Uint8Array): Request => {
  const { headers, method = "" } = incoming
  const { authorization, "content-type": contentType } = headers
  return {
    method,
    path: pathOf(incoming),
    headers: { authorization, "content-type": contentType },
    body
  }
}

const send = (faulted: FaultedResponse.FaultedResponse, response: ServerResponse): void => {
  const { socket } = response
  if (faulted._tag === "reset") return void socket?.resetAndDestroy()
  const { body, headers, status } = faulted.response
  const length = Buffer.byteLength(body)
  response.writeHead(status, length === 0 ? headers : { ...headers, "content-length": length })
  if (faulted._tag === "whole") response.end(body)
  else response.write(Buffer.from(body).subarray(0, length / 2), () => socket?.destroy())
}
