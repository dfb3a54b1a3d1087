import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import { maxBytes } from "../../VerifyCallback.ts"
import * as Door from "./Door.ts"

/** The bytes of a short body, whose chunks are few. */
const shortBody = 4096
const maxShort = /* @__PURE__ */ ByteSize.bytes(shortBody)

/** Reads a body as the other doors do: empty if it ends early, and over the limit if too large. */
export const read = (request: HttpServerRequest): Effect.Effect<Uint8Array> => {
  if (request.method !== "POST") return Effect.succeed(Door.emptyBody)
  return Number(request.headers["content-length"]) <= shortBody
    ? readShort(request)
    : readLong(request)
}

/** Reads a short body by `arrayBuffer`; a web request may be longer than its header says. */
const readShort = (request: HttpServerRequest): Effect.Effect<Uint8Array> =>
  Effect.match(Effect.provideService(request.arrayBuffer, MaxBodySize, maxShort), {
    onFailure: () => Door.emptyBody,
    onSuccess: (buffer) => new Uint8Array(buffer)
  })

/** Reads a long body into one buffer, because chunks of one byte would take 50 times their size. */
const readLong = (request: HttpServerRequest): Effect.Effect<Uint8Array> =>
  Effect.suspend(() => {
    const body = new BodyBuffer(maxBytes)
    return request.stream.pipe(
      Stream.mapError(() => Door.emptyBody),
      Stream.runForEach((chunk) =>
        body.add(chunk) ? Effect.void : Effect.fail(Door.tooLargeBody)
      ),
      Effect.match({ onFailure: identity, onSuccess: () => body.bytes })
    )
  })
