import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { refuse } from "./RouteGuards.ts"

/** Reads the body of a request to its end; more than 64 KiB is 413. */
export const withBody = <E, R>(
  handler: (body: Uint8Array) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest
> =>
  HttpServerRequest.HttpServerRequest.pipe(
    Effect.flatMap(({ arrayBuffer }) => arrayBuffer),
    Effect.provideContext(maxBody),
    Effect.matchEffect({
      onFailure: ({ reason }) =>
        Effect.succeed(
          reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
            ? refuse(413, "The body is larger than 64 KiB")
            : refuse(400, "The body could not be read")
        ),
      onSuccess: (body) => handler(new Uint8Array(body))
    })
  )

const maxBody = HttpServerRequest.MaxBodySize.context(ByteSize.fromInputUnsafe("64 KiB"))
