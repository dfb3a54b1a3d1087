import { BodyBuffer } from "@pawl/core/internal/BodyBuffer"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import { type HttpServerRequest, MaxBodySize } from "effect/http/HttpServerRequest"
import * as Stream from "effect/Stream"
import type { StatusCode } from "../../Receiver.ts"
import { maxBytes } from "../../VerifyCallback.ts"
import * as Door from "./Door.ts"

/** The bytes of a short body, whose chunks are few. */
const shortBody = 4096
const maxShort = /* @__PURE__ */ ByteSize.bytes(shortBody)

/** Fails with 413 if the body is too large. */
export const read = (request: HttpServerRequest): Effect.Effect<Uint8Array, StatusCode> => {
  if (request.method !== "POST") return Effect.succeed(Door.emptyBody)
  return Number(request.headers["content-length"]) <= shortBody
    ? readShort(request)
    : readLong(request)
}

/** Reads a short body by `arrayBuffer`; a web request may be longer than its header says. */
const readShort = (request: HttpServerRequest): Effect.Effect<Uint8Array, StatusCode> =>
  Effect.mapBoth(Effect.provideService(request.arrayBuffer, MaxBodySize, maxShort), {
    onFailure: () => 400,
    onSuccess: (buffer) => new Uint8Array(buffer)
  })

/** Reads a long body into one buffer, because chunks of one byte would take 50 times their size. */
const readLong = (request: HttpServerRequest): Effect.Effect<Uint8Array, StatusCode> =>
  Effect.suspend(() => {
    const body = new BodyBuffer(maxBytes)
    return request.stream.pipe(
      Stream.mapError((): StatusCode => 400),
      Stream.runForEach((chunk) => (body.add(chunk) ? Effect.void : Effect.fail(413 as const))),
      Effect.map(() => body.bytes)
    )
  })
