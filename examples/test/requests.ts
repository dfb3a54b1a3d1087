/** Requests over the client of a test, in a SQLite database in memory. */
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as NodeSqlite from "@pawl/webhook/NodeSqlite"
import * as Requests from "@pawl/webhook/Requests"
import * as Seal from "@pawl/webhook/Seal"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const secret = Redacted.make("sandbox-secret")

export const layer = Requests.layer().pipe(
  Layer.provideMerge(Layer.fresh(NodeSqlite.layerLedger({ filename: ":memory:" }))),
  Layer.provide([CallbackUrl.layer(secret), Seal.layer({ current: secret })]),
  Layer.provide(NodeHmac.layer)
)
