/**
 * Access control for the admin API, and the files of its page.
 *
 * `Admin` explains who has access. Another name as `Host` may resolve to 127.0.0.1. A page
 * of another site never has access.
 */
import * as Checksum from "@pawl/core/Checksum"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import * as Reply from "./Response.ts"

export interface Options {
  /** Every request must carry this bearer token; without one only this machine has access. */
  readonly token?: Redacted.Redacted | undefined
  /**
   * The hosts by which other machines name the server, with or without a port. They count only with
   * a `token`.
   */
  readonly hosts?: ReadonlyArray<string> | undefined
  /** The files of the page, by path. */
  readonly page?: ReadonlyMap<string, Reply.Response> | undefined
}

/** Tells whether a text can be sent as a bearer token. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/u.test(text)

export const tokenAdvice = "give ASCII text without white space"

type Headers = Reply.Request["headers"]

/** The files need no token, because a browser that opens an address sends none. */
export const guard = (
  { page, ...options }: Options,
  route: (request: Reply.Request) => Effect.Effect<Reply.Response>,
  fileOf: (path: string) => string = (path) => path
): ((request: Reply.Request) => Effect.Effect<Reply.Response>) => {
  const accessOf = decide(options)
  const slow = makeSlow()
  return (request) => {
    const access = accessOf(request.headers)
    // 403 would say that there is something to protect.
    if (access === "hidden") return Effect.succeed(Reply.notFound)
    const file = page?.get(fileOf(request.path))
    if (file !== undefined) {
      return Effect.succeed(request.method === "GET" ? file : Reply.notAllowed("GET"))
    }
    // A page of another site may link to the page. A GET that it embeds here has no `Origin`.
    if (request.headers["sec-fetch-site"] === "cross-site") return Effect.succeed(Reply.notFound)
    if (access === "wrong token") return slow
    if (access === "unauthorized") return Effect.succeed(Reply.unauthorized)
    // A request finishes what it writes, even if its client has gone.
    return request.method === "POST" ? Effect.uninterruptible(route(request)) : route(request)
  }
}

const decide = ({
  hosts = [],
  token
}: Omit<Options, "page">): ((
  headers: Headers
) => "allowed" | "hidden" | "unauthorized" | "wrong token") => {
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
    const given = tokenOf(headers)
    if (given === undefined) return "unauthorized"
    return Checksum.matches(Redacted.value(token), given) ? "allowed" : "wrong token"
  }
}

const textOf = (value: Headers[string]): string => (typeof value === "string" ? value : "")

const isForwarded = (headers: Headers): boolean =>
  Object.keys(headers).some((name) => /^(?:(?:forwarded|via|x-real-ip)$|x-forwarded-)/iu.test(name))

const tokenOf = (headers: Headers): string | undefined =>
  /^Bearer +(\S+)$/iu.exec(textOf(headers["authorization"]))?.[1]

const triesPerSecond = 4
/** Further tries are answered at once: those that wait hold connections, which the operator needs. */
const maxWaiting = 64
const logGap = 60_000

/** A wrong token gets a late response, so that nobody tries many. */
const makeSlow = (): Effect.Effect<Reply.Response> => {
  const turns = Semaphore.makeUnsafe(triesPerSecond)
  let tries = 0
  let waiting = 0
  let loggedAt = -Infinity
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    tries++
    // The clock may have been set back since.
    if (Math.abs(now - loggedAt) >= logGap) {
      yield* Effect.logWarning(
        `The admin API was asked with a wrong token, ${tries === 1 ? "once" : `${tries} times`}`
      )
      loggedAt = now
      tries = 0
    }
    if (waiting >= maxWaiting) return Reply.unauthorized
    waiting++
    yield* Effect.ensuring(
      turns.withPermit(Effect.sleep("1 second")),
      Effect.sync(() => waiting--)
    )
    return Reply.unauthorized
  })
}
