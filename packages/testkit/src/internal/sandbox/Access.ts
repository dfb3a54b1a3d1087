/**
 * Who may see the pages of a sandbox, and who may control it.
 *
 * **Details**
 *
 * Bound to loopback, a sandbox is for this machine alone, and for no site that is open in its browsers:
 * a `Host` that is not this machine is 403 (a name that was made to resolve to it), and so is the
 * `Origin` of another site. Bound to anything else it has a token, and only who has that controls it.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { isLoopback } from "@pawl/core/Loopback"

/** Guards a route: what it lets through reaches the handler, everything else is refused. */
export type Guard = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
) => Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  R | HttpServerRequest.HttpServerRequest
>

/**
 * Service that guards routes: `page` those for people, `control` those that show or change what the
 * sandbox holds.
 */
export class Access extends Context.Service<
  Access,
  { readonly page: Guard; readonly control: Guard }
>()("@pawl/testkit/internal/sandbox/Access") {}

/** Layer that guards a sandbox by the host it is bound to, and by a token if there is one. */
export const layer = (host: string, token: Redacted.Redacted | undefined): Layer.Layer<Access> => {
  const isPublic = !isLoopback(host)
  const page: Guard = (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      (isPublic || isHere(headers["host"])) && isSame(headers, isPublic)
        ? handler
        : Effect.succeed(elsewhere)
    )
  const authorized: Guard = (handler) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      // A shop may send its customers to a page, but has nothing to do here.
      headers["sec-fetch-site"] === "cross-site"
        ? Effect.succeed(elsewhere)
        : token === undefined || bears(headers["authorization"], token)
          ? handler
          : Effect.succeed(unknown)
    )
  return Layer.succeed(Access, { page, control: (handler) => page(authorized(handler)) })
}

/** Writes a refusal. */
export const refuse = (status: number, message: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe({ message }, { status })

const unknown = refuse(
  401,
  "This sandbox was started with a token: send it as Authorization: Bearer <token>"
)

const elsewhere = refuse(403, "Only for this machine, and for no other site")

const isHere = (host = ""): boolean => isLoopback(host.toLowerCase().replace(/:[0-9]+$/u, ""))

/** Tells whether a request comes from the sandbox's own pages, or from no page at all. */
const isSame = (headers: Readonly<Record<string, string | undefined>>, isPublic: boolean) => {
  const { host, origin } = headers
  return (
    origin === undefined ||
    origin === `http://${host}` ||
    // Behind a proxy that speaks TLS, the browser knows another scheme.
    (isPublic && origin === `https://${host}`)
  )
}

const bears = (authorization: string | undefined, token: Redacted.Redacted): boolean =>
  Checksum.matches(Redacted.value(token), /^Bearer +(\S+)$/iu.exec(authorization ?? "")?.[1] ?? "")
