import type { Request, Response } from "@pawl/testkit/Gateway"
import * as Effect from "effect/Effect"
import { request } from "node:http"
import { text } from "node:stream/consumers"

/** Sends the requests of a gateway to an origin. It is no `fetch`, which normalizes the path. */
export const overHttp =
  (origin: string) =>
  ({ body, headers, method, path }: Request): Effect.Effect<Response> =>
    Effect.promise(
      () =>
        new Promise((resolve, reject) => {
          request(origin, { method, path, headers: { ...headers } }, (response) => {
            const { headers, statusCode: status = 0 } = response
            text(response).then(
              (body) =>
                resolve({ status, headers: { ...headers } as Record<string, string>, body }),
              reject
            )
          })
            .on("error", reject)
            .end(body)
        })
    )
