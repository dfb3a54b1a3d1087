/**
 * The service's door on a port: a listener of `node:http`.
 *
 * **Details**
 *
 * It is a plain one, since a request to the service needs nothing of a router: no route, scope or stream
 * of its own. With all that it takes twice the CPU time.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { Faults } from "../../Faults.ts"
import { Gateway } from "../../Gateway.ts"
import { answer, type Request } from "../gateway/Contract.ts"
import { Feed } from "./Feed.ts"
import * as Struck from "./Struck.ts"
import type { Traffic } from "./Traffic.ts"

/**
 * Makes the listener. A body of more than 64 KiB is 413. What is under way when the scope closes comes
 * to its end before, or is interrupted where it may be.
 */
export const make = Effect.fnUntraced(function* (
  traffic: Traffic
): Effect.fn.Return<RequestListener, never, Faults | Feed | Gateway | Scope.Scope> {
  const gateway = yield* Gateway
  const faults = yield* Faults
  const { tell } = yield* Feed
  const scope = yield* Effect.scope
  const fork = Effect.runForkWith(yield* Effect.context())

  const tellFaults = Effect.map(faults.list, (list) => tell("faults", list))

  const respond = (request: Request, response: ServerResponse) =>
    Effect.flatMap(faults.strike(request.method, request.path), (fault) => {
      const seen = Effect.flatMap(Struck.meet(fault, gateway.handle(request)), (seen) => {
        const answer = seen._tag === "whole" ? seen.answer : undefined
        return Effect.map(traffic.note(request, answer, fault), () => show(seen, response))
      })
      return fault === undefined ? seen : Effect.andThen(tellFaults, seen)
    })

  return (incoming, response) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    incoming.on("data", (chunk: Uint8Array) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
    })
    incoming.on("end", () => {
      if (size > maxBytes) return show(tooLarge, response)
      const fiber = fork(respond(toRequest(incoming, Buffer.concat(chunks)), response))
      if (fiber.pollUnsafe() === undefined) Fiber.runIn(fiber, scope)
    })
  }
})

/** Returns the path of a request, which may name its host before it. */
export const pathOf = ({ url = "" }: IncomingMessage): string =>
  url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/]*/iu, "")

const maxBytes = 64 * 1024

const tooLarge: Struck.Seen = {
  _tag: "whole",
  answer: answer(413, { message: "The body is larger than 64 KiB" })
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

/** Sends an answer, or as much of it as is to be seen before the connection ends. */
const show = (seen: Struck.Seen, response: ServerResponse): void => {
  const { socket } = response
  if (seen._tag === "reset") return void socket?.resetAndDestroy()
  const { body, headers, status } = seen.answer
  const length = Buffer.byteLength(body)
  response.writeHead(status, length === 0 ? headers : { ...headers, "content-length": length })
  if (seen._tag === "whole") response.end(body)
  else response.write(Buffer.from(body).subarray(0, length / 2), () => socket?.destroy())
}
