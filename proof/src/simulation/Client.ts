import type { Hmac } from "@pawl/core/Hmac"
import type * as Pawl from "@pawl/http/Pawl"
import * as PawlConfig from "@pawl/http/PawlConfig"
import * as PawlPortable from "@pawl/http/PawlPortable"
import { Transport } from "@pawl/http/Transport"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export const origin = "https://service.example"

export const merchantKey = "simulated-merchant"

export const secret = "canary-of-the-merchant-secret"

export const card = { number: "4242424242424242", expMonth: "04", expYear: "2030" }

export const layer = (transport: Transport["Service"]): Layer.Layer<Pawl.Services, never, Hmac> =>
  PawlPortable.layer.pipe(
    Layer.provide(Layer.succeed(Transport, transport)),
    Layer.provide(
      Layer.orDie(
        PawlConfig.layer({
          baseUrl: `${origin}/api`,
          merchantKey,
          merchantSecret: Redacted.make(secret)
        })
      )
    )
  )
