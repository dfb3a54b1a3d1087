/**
 * What a sandbox serves beside the service: the contract, the pages, and the control API.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Api } from "@pawl/http/Api"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { RequestListener } from "node:http"
import * as Console from "../../Console.ts"
import type { Faults } from "../../Faults.ts"
import type { Gateway } from "../../Gateway.ts"
import * as HostedPage from "../../HostedPage.ts"
import type { VirtualClock } from "../../VirtualClock.ts"
import * as Access from "./Access.ts"
import * as Control from "./Control.ts"
import type { Feed } from "./Feed.ts"
import type { Traffic } from "./Traffic.ts"

/**
 * Makes the listener, which answers until the scope closes: to whom, the host it is bound to and the
 * token say.
 */
export const make = (
  traffic: Traffic,
  host: string,
  token: Redacted.Redacted | undefined
): Effect.Effect<RequestListener, never, Faults | Feed | Gateway | VirtualClock | Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const site = yield* HttpRouter.toHttpEffect(
      Layer.mergeAll(contract, Control.routes(traffic), HostedPage.routes, Console.routes).pipe(
        Layer.provide(Access.layer(host, token)),
        Layer.provideMerge(NodeHttpServer.layerHttpServices)
      )
    )
    return yield* NodeHttpServer.makeHandler(site, { scope })
  })

const contract = HttpRouter.use((router) =>
  Effect.flatMap(
    Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))),
    (document) => router.add("GET", "/openapi.json", document)
  )
)
