/**
 * The two ports of the receiver: one for callbacks and probes, which the network reaches, and one
 * for the operator.
 *
 * `docs/decisions/0023-operator-endpoints.md` explains `/healthz` and `/readyz`.
 */
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { IncomingMessage } from "node:http"
import * as Admin from "../Admin.ts"
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as NodeResponder from "../internal/admin/NodeResponder.ts"
import * as Reply from "../internal/admin/Response.ts"

/** Port of the operator. Its host is loopback unless there is a token. */
export interface AdminPort {
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted | undefined
  readonly hosts: ReadonlyArray<string>
}

/** Serves until the scope ends. Returns the URL for callbacks. */
export const serve = Effect.fnUntraced(function* (options: {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly admin: AdminPort | undefined
}) {
  const { admin, host, path } = options
  const { condition, respond } = yield* Admin.Admin
  const receive = yield* NodeReceiver.listener
  const probes: Readonly<Record<string, Effect.Effect<Reply.Response>>> = {
    "/healthz": Effect.succeed(Reply.text("ok\n", "text/plain; charset=utf-8")),
    "/readyz": Effect.map(condition, (all) => Reply.json(all, all.ready ? 200 : 503))
  }
  const send = yield* NodeResponder.make
  if (admin !== undefined) {
    const port = yield* NodeReceiver.listen((request, response) => {
      const { headers, method = "" } = request
      const { pathname, search } = partsOf(request)
      send(respond({ method, path: pathname, search, headers }), response)
    }, admin)
    yield* Effect.logInfo(`The admin API is at ${originOf(admin.host, port)}`)
  }
  const warnOfPath = yield* Effect.cached(
    Effect.logWarning(
      `A callback to another path was answered 404: the path for callbacks is ${path}`
    )
  )
  const port = yield* NodeReceiver.listen((request, response) => {
    const { pathname } = partsOf(request)
    if (pathname === path || pathname.startsWith(`${path}/`)) return receive(request, response)
    const probe = Object.hasOwn(probes, pathname) ? probes[pathname] : undefined
    if (probe === undefined) {
      const notFound = { status: 404, headers: {}, body: "" } as const
      return "x-checksum" in request.headers
        ? send(Effect.as(warnOfPath, notFound), response)
        : NodeConnections.send(response, 404, {})
    }
    const isRead = request.method === "GET" || request.method === "HEAD"
    send(isRead ? probe : Effect.succeed(Reply.notAllowed("GET, HEAD")), response)
  }, options)
  return `${originOf(host, port)}${path}`
})

const originOf = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`

/** Returns path and query as they were sent, without the origin that some clients send. */
const partsOf = ({ url = "" }: IncomingMessage) => {
  const [, pathname = "", search = ""] =
    /^([^?#]*)(?:\?([^#]*))?/u.exec(url.replace(/^https?:\/\/[^/?#]*/iu, "")) ?? []
  return { pathname, search }
}
