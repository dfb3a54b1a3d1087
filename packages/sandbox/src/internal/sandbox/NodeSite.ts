/** The rest of a sandbox beside the service: the contract, the pages and the control API. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Api } from "../contract/Api.ts"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type { RequestListener } from "node:http"
import * as Console from "../pages/Console.ts"
import type { Faults } from "@pawl/testkit/Faults"
import type { Gateway } from "@pawl/testkit/Gateway"
import * as HostedPage from "../pages/HostedPage.ts"
import type { VirtualClock } from "@pawl/testkit/VirtualClock"
import * as RouteGuards from "../http/RouteGuards.ts"
import * as Control from "./ControlApi.ts"
import type { EventFeed } from "./EventFeed.ts"
import * as PublicForms from "./PublicForms.ts"
import type { RequestLog } from "./RequestLog.ts"

/**
 * Makes the listener, which responds until the scope closes. The bound host and the token decide
 * who has access.
 */
export const make = (
  requestLog: RequestLog,
  host: string,
  pageUrl: string,
  token: Redacted.Redacted | undefined
): Effect.Effect<
  RequestListener,
  never,
  Faults | EventFeed | Gateway | VirtualClock | Scope.Scope
> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const site = yield* HttpRouter.toHttpEffect(
      Layer.mergeAll(
        contract,
        Control.routes(requestLog, PublicForms.make(pageUrl)),
        HostedPage.routes,
        Console.routes
      ).pipe(
        Layer.provide(RouteGuards.layer(host, token)),
        Layer.provideMerge(NodeHttpServer.layerHttpServices)
      )
    )
    return yield* NodeHttpServer.makeHandler(
      Effect.updateService(site, HttpServerRequest.HttpServerRequest, asGet),
      { scope }
    )
  })

/** HEAD has the response of GET, whose body is then not sent. */
const asGet = (request: HttpServerRequest.HttpServerRequest): typeof request =>
  request.method === "HEAD"
    ? (Object.create(request, { method: { value: "GET" } }) as typeof request)
    : request

const contract = HttpRouter.use((router) =>
  Effect.flatMap(
    Effect.cached(Effect.sync(() => HttpServerResponse.jsonUnsafe(OpenApi.fromApi(Api)))),
    (document) => router.add("GET", "/openapi.json", document)
  )
)
