/**
 * Access control for the admin API, and the files of its page.
 *
 * **Details**
 *
 * Without a token only this machine has access: a request is refused if its `Host` is another name (which may be
 * made to resolve to 127.0.0.1), or if a proxy says that it forwarded it. With a token every request must carry it,
 * and its `Host` is this machine or one of the configured hosts. A page of another site never has access.
 */
import * as Checksum from "@pawl/core/Checksum"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Reply from "./Response.ts"

/** The token of the admin API, the hosts by which other machines name it, and the files of the page, by path. */
export interface Options {
  readonly token?: Redacted.Redacted | undefined
  readonly hosts?: ReadonlyArray<string> | undefined
  readonly page?: ReadonlyMap<string, Reply.Response> | undefined
}

type Headers = Reply.Request["headers"]

/**
 * Guards a route. `fileOf` returns the path of a file of the page. The files need no token, because a browser that opens an
 * address sends none.
 */
export const guard = (
  { page, ...options }: Options,
  route: (request: Reply.Request) => Effect.Effect<Reply.Response>,
  fileOf: (path: string) => string = (path) => path
): ((request: Reply.Request) => Effect.Effect<Reply.Response>) => {
  const accessOf = decide(options)
  return (request) => {
    const access = accessOf(request.headers)
    // 403 would say that there is something to protect.
    if (access === "hidden") return Effect.succeed(Reply.notFound)
    const file = page?.get(fileOf(request.path))
    if (file !== undefined) {
      return Effect.succeed(request.method === "GET" ? file : Reply.notAllowed("GET"))
    }
    return access === "unauthorized" ? Effect.succeed(Reply.unauthorized) : route(request)
  }
}

/** Makes the function that decides about the headers of a request. */
const decide = ({
  hosts = [],
  token
}: Omit<Options, "page">): ((headers: Headers) => "allowed" | "hidden" | "unauthorized") => {
  const others = token === undefined ? [] : hosts.map((host) => host.toLowerCase())
  const isKnown = (host: string): boolean => {
    const name = host.replace(/:[0-9]+$/u, "")
    return isLoopback(name) || others.includes(name) || others.includes(host)
  }
  const isSameOrigin = (host: string, origin: Headers[string]): boolean =>
    origin === undefined ||
    origin === `http://${host}` ||
    // Behind a TLS proxy the browser has another scheme.
    (token !== undefined && origin === `https://${host}`)
  return (headers) => {
    const host = textOf(headers["host"])
    if (!isKnown(host.toLowerCase()) || !isSameOrigin(host, headers["origin"])) return "hidden"
    if (token === undefined) return isForwarded(headers) ? "hidden" : "allowed"
    return hasToken(headers, token) ? "allowed" : "unauthorized"
  }
}

const textOf = (value: Headers[string]): string => (typeof value === "string" ? value : "")

const isForwarded = (headers: Headers): boolean =>
  Object.keys(headers).some((name) => /^(?:forwarded$|x-forwarded-)/iu.test(name))

const hasToken = (headers: Headers, token: Redacted.Redacted): boolean =>
  Checksum.matches(
    Redacted.value(token),
    /^Bearer +(\S+)$/iu.exec(textOf(headers["authorization"]))?.[1] ?? ""
  )
