/**
 * The real client over the gateway of a bench, by a network that does as a test says.
 */
import * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
import { type Request, Transport } from "@pawl/http/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Gateway from "../../src/Gateway.ts"
import { bench, credentials } from "./bench.ts"

/** One exchange with the gateway. */
export type Exchange = ReturnType<Transport["Service"]["send"]>

const utf8 = new TextEncoder()

/** Layer that is the client and the bench; `through` does with each request what its network does. */
export const client = (through: (request: Request, exchange: Exchange) => Exchange) =>
  Pawl.layerPortable.pipe(
    Layer.provide([
      Layer.effect(
        Transport,
        Effect.map(Gateway.Gateway, (gateway) => ({
          send: (request) => {
            const { body = "", headers, method, url } = request
            const path = url.slice(new URL(url).origin.length)
            const exchange = Effect.map(
              gateway.handle({ method, path, headers, body: utf8.encode(body) }),
              (answer) => ({ ...answer, body: utf8.encode(answer.body) })
            )
            return through(request, exchange)
          }
        }))
      ),
      PawlConfig.layer({
        baseUrl: "http://localhost/api",
        merchantKey: credentials.merchantKey,
        merchantSecret: Redacted.make(credentials.merchantSecret)
      })
    ]),
    Layer.provideMerge(bench())
  )
