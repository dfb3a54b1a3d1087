import * as Hmac from "@pawl/core/Hmac"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { type Request, Transport } from "@pawl/http/Transport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Redacted from "effect/Redacted"
import * as Fake from "../../src/Fake.ts"
import { credentials } from "@pawl/test-support/TestGateway"

export type Exchange = ReturnType<Transport["Service"]["send"]>

/** Layer that provides the client; `through` is its network. */
export const client = (through: (request: Request, exchange: Exchange) => Exchange) =>
  PawlPortable.layer.pipe(
    Layer.provide([
      Layer.effect(
        Transport,
        Effect.map(Transport, ({ send }) => ({
          send: (request, within, total) => through(request, send(request, within, total))
        }))
      ),
      Hmac.layer,
      PawlConfig.layer({
        baseUrl: "http://localhost/api",
        merchantKey: credentials.merchantKey,
        merchantSecret: Redacted.make(credentials.merchantSecret)
      })
    ]),
    Layer.provideMerge(Layer.provideMerge(Fake.layer(), TestClock.layer()))
  )
