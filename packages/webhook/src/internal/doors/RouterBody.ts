import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import type { StatusCode } from "../../Receiver.ts"
import * as Door from "./Door.ts"

const shortBody = 4096
const maxShort = /* @__PURE__ */ ByteSize.bytes(shortBody)

type Receive = (body: Uint8Array) => Effect.Effect<StatusCode>

/**
 * Receives bodies as the other doors do: empty if it ends early, over the limit if too large. A
 * body that is given up gets its response at its next chunk.
 */
export const make = (): ((
  request: HttpServerRequest,
  receive: Receive
) => Effect.Effect<StatusCode>) => {
  const openBody = Door.makeBodies()

  /** Reads a long body into one buffer, because chunks of one byte would take 50 times their size. */
  const receiveLong = (request: HttpServerRequest, receive: Receive) =>
    Effect.suspend(() => {
      let isGivenUp = false
      const body = openBody(() => {
        isGivenUp = true
      })
      return request.stream.pipe(
        Stream.mapError(() => Door.emptyBody),
        Stream.runForEach((chunk) =>
          body.add(chunk) ? Effect.void : Effect.fail(Door.tooLargeBody)
        ),
        Effect.match({ onFailure: identity, onSuccess: body.complete }),
        Effect.flatMap((bytes) =>
          isGivenUp ? Effect.as(Door.countGivenUp, 503 as const) : receive(bytes)
        ),
        Effect.ensuring(Effect.sync(body.release))
      )
    })

  return (request, receive) => {
    if (request.method !== "POST") return receive(Door.emptyBody)
    return Number(request.headers["content-length"]) <= shortBody
      ? Effect.flatMap(readShort(request), receive)
      : receiveLong(request, receive)
  }
}

/** Reads a short body by `arrayBuffer`; a web request may be longer than its header says. */
const readShort = (request: HttpServerRequest): Effect.Effect<Uint8Array> =>
  Effect.match(Effect.provideService(request.arrayBuffer, MaxBodySize, maxShort), {
    onFailure: () => Door.emptyBody,
    onSuccess: (buffer) => new Uint8Array(buffer)
  })
