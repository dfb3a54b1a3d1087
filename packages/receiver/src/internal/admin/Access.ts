/**
 * Access control for the admin API.
 *
 * **Details**
 *
 * Without a token only this machine has access: a request is refused if its `Host` is another name (which may be
 * made to resolve to 127.0.0.1), or if a proxy says that it forwarded it. With a token every request must carry it,
 * and its `Host` is this machine or one of the configured hosts. A page of another site never has access.
 */
import * as Checksum from "@pawl/core/Checksum"
import { isLoopback } from "@pawl/core/internal/Loopback"
import * as Redacted from "effect/Redacted"

/** The token of the admin API, and the hosts by which other machines name it. */
export interface Options {
  readonly token?: Redacted.Redacted | undefined
  readonly hosts?: ReadonlyArray<string> | undefined
}

/** Header names are lower case. */
type Headers = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** The decision about a request: `hidden` is a 404, because 403 would say that there is something to protect. */
export type Access = "allowed" | "hidden" | "unauthorized"

/** Makes the function that decides about the headers of a request. */
export const make = ({ hosts = [], token }: Options): ((headers: Headers) => Access) => {
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
