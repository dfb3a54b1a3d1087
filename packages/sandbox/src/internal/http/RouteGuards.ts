/**
 * Access control for the pages and the control API of a sandbox.
 *
 * Bound to loopback, a sandbox accepts requests from this machine only: another `Host` is 403 (DNS
 * rebinding), and so is a foreign `Origin`. Bound to another address, its control API requires a
 * token.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as LocalHost from "./LocalHost.ts"

export type Guard = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest
>

/** Service that guards routes: `page` for pages, `control` for the control API. */
export class RouteGuards extends Context.Service<
  RouteGuards,
  { readonly page: Guard; readonly control: Guard }
>()("@pawl/sandbox/internal/http/RouteGuards") {}

export const layer = (
  host: string,
  token: Redacted.Redacted | undefined
): Layer.Layer<RouteGuards> => {
  const isPublic = !isLoopback(host)
  const isOwnHost = LocalHost.make(host)
  const page: Guard = (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      isOwnHost(headers["host"]) && isSameOrigin(headers, isPublic)
        ? handler
        : Effect.succeed(forbidden)
    )
  const authorized: Guard = (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      // Other sites may link to a page for customers, never to the control API.
      headers["sec-fetch-site"] === "cross-site"
        ? Effect.succeed(forbidden)
        : token === undefined || hasToken(headers["authorization"], token)
          ? handler
          : Effect.succeed(unauthorized)
    )
  return Layer.succeed(RouteGuards, {
    page,
    control: (handler) =>
      Effect.map(
        page(authorized(handler)),
        HttpServerResponse.setHeader("x-content-type-options", "nosniff")
      )
  })
}

export const refuse = (status: number, message: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ message }, { status })

const unauthorized = refuse(
  401,
  "This sandbox requires its token: send it as Authorization: Bearer <token>"
)

const forbidden = refuse(403, "Only this machine has access, and no page of another web site")

const isSameOrigin = (headers: Readonly<Record<string, string | undefined>>, isPublic: boolean) => {
  const { host, origin } = headers
  return (
    origin === undefined ||
    origin === `http://${host}` ||
    // Behind a TLS proxy the browser has another scheme.
    (isPublic && origin === `https://${host}`)
  )
}

const hasToken = (authorization: string | undefined, token: Redacted.Redacted): boolean =>
  Checksum.matches(Redacted.value(token), /^Bearer +(\S+)$/iu.exec(authorization ?? "")?.[1] ?? "")
