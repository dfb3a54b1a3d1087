/**
 * The two ports of the receiver: one for callbacks and probes, which the network reaches, and one for the operator.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Redacted from "effect/Redacted"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Admin from "../Admin.ts"
import * as NodeConnections from "@pawl/webhook/internal/doors/NodeConnections"
import * as NodeReceiver from "@pawl/webhook/NodeReceiver"
import * as Health from "./Health.ts"

/** The port of the operator. Its host is loopback unless there is a token. */
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
  readonly condition: Effect.Effect<{ readonly ready: boolean }>
}) {
  const { admin, condition, host, path } = options
  const receive = yield* NodeReceiver.listener
  const health = Health.make(condition)
  const send = yield* makeSend
  if (admin !== undefined) {
    const { respond } = yield* Admin.Admin
    const port = yield* NodeReceiver.listen((request, response) => {
      const { headers, method = "" } = request
      const { pathname, search } = partsOf(request)
      send(respond({ method, path: pathname, search, headers }), response)
    }, admin)
    yield* Effect.logInfo(`The admin API is at ${originOf(admin.host, port)}`)
  }
  const port = yield* NodeReceiver.listen((request, response) => {
    const { pathname } = partsOf(request)
    if (pathname === path) return receive(request, response)
    const probe = health(request.method ?? "", pathname)
    if (probe !== undefined) return send(probe, response)
    NodeConnections.send(response, 404, {})
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

const makeSend = Effect.map(
  Effect.context(),
  (context) => (effect: Effect.Effect<Admin.Response>, response: ServerResponse) => {
    Effect.runForkWith(context)(effect).addObserver((exit) => {
      const { body, headers, status } = Exit.isSuccess(exit)
        ? exit.value
        : { status: 500, headers: {}, body: "" }
      NodeConnections.send(response, status, headers, body)
    })
  }
)
