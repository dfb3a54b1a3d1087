/** Reads the admin API of a receiver. It sends GET alone, so it changes nothing. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Reply from "../admin/Response.ts"

const maxBytes = 1_000_000

/** Error raised when the admin API does not answer with a document. */
export class NotRead extends Schema.TaggedError<NotRead>()("NotRead", {
  message: Schema.String
}) {}

/**
 * Service that reads one document, undefined if there is none. Each segment of the path is one id,
 * whatever characters it has.
 */
export class AdminReader extends Context.Service<
  AdminReader,
  {
    readonly read: (
      path: readonly [string, ...ReadonlyArray<string>],
      query?: Readonly<Record<string, string | undefined>>
    ) => Effect.Effect<Page | undefined, NotRead>
  }
>()("@pawl/receiver/internal/mcp/AdminReader") {}

/** Document with the cursor of the next page, if there is one. */
export interface Page {
  readonly document: Schema.Json
  readonly next: string | undefined
}

/**
 * Layer that reads from a base, an address such as `http://127.0.0.1:4021`, or
 * `http://127.0.0.1:4021/merchants/shop-a`. The client must not follow redirects.
 */
export const layer = (options: {
  readonly base: string
  readonly token: Redacted.Redacted | undefined
}): Layer.Layer<AdminReader, never, HttpClient.HttpClient> =>
  Layer.effect(
    AdminReader,
    Effect.gen(function* () {
      const client = HttpClient.withScope(yield* HttpClient.HttpClient)
      const silent = new NotRead({
        message: `Nothing answers at ${options.base}: start the receiver with --admin-port, or give its address with --admin`
      })
      const unreadable = new NotRead({
        message: `${options.base} did not answer with a document`
      })

      const read: AdminReader["Service"]["read"] = Effect.fnUntraced(
        function* (path, query = {}) {
          // A URL drops these segments, encoded or not, and would name another document.
          if (path.some((segment) => segment === "." || segment === "..")) return undefined
          const request = HttpClientRequest.get(
            `${options.base}/${path.map(encodeURIComponent).join("/")}`,
            { urlParams: query }
          )
          const sent =
            options.token === undefined
              ? request
              : HttpClientRequest.bearerToken(request, options.token)
          // A message of the platform may quote the request, which has the token.
          const { headers, status, stream } = yield* Effect.mapError(
            client.execute(sent),
            () => silent
          )
          const refused = new NotRead({ message: `The admin API answered ${status}` })
          const text = yield* stream.pipe(
            Stream.mapError(() => unreadable),
            Stream.limitBytes(maxBytes, () => Stream.fail(refused)),
            Stream.decodeText,
            Stream.mkString
          )
          if (text === Reply.severalMerchants.body) {
            return yield* new NotRead({
              message:
                "The receiver has several merchants: start the server with --admin and the address of one, such as http://127.0.0.1:4021/merchants/shop-a"
            })
          }
          if (status === 404) return undefined
          if (status === 401) {
            return yield* new NotRead({
              message:
                "The admin API asks for a token: set PAWL_ADMIN_TOKEN to that of the receiver"
            })
          }
          if (status !== 200) return yield* refused
          const document = yield* Schema.decodeEffect(Schema.fromJsonString(Schema.Json))(text)
          const [, search] = /\?([^>]*)/u.exec(headers["link"] ?? "") ?? []
          return { document, next: new URLSearchParams(search).get("after") ?? undefined }
        },
        Effect.scoped,
        Effect.timeout("10 seconds"),
        Effect.catchTag(["SchemaError", "TimeoutError"], () => Effect.fail(unreadable)),
        Effect.provideService(HttpClient.TracerPropagationEnabled, false)
      )
      return { read }
    })
  )
