/**
 * The endpoints of the contract, and which of them a request is for.
 *
 * **Details**
 *
 * An endpoint is named by its method and its path after the `/api` of the base address:
 * `GET /v1/payments/apm/status/{id}`.
 */
import { Api } from "@pawl/http/Api"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Result from "effect/Result"

/** What stands in the places of a path that are left open. */
export type Params = Readonly<Record<string, string>>

/**
 * Makes the function that finds what is kept for the endpoint a request is for, and what stands in the
 * open place of its path: the last segment, if any.
 */
export const finder = <A>(
  all: Iterable<readonly [endpoint: HttpApiEndpoint.Top, kept: A]>
): ((method: string, path: string) => readonly [kept: A, params: Params] | undefined) => {
  const places = new Map<string, { readonly kept: A; readonly open: string | undefined }>()
  for (const [{ method, path }, kept] of all) {
    const [closed = path, open] = path.split(/:(\w+)$/u)
    places.set(`${method} ${closed}`, { kept, open })
  }
  return (method, path) => {
    const end = path.search(/[?#]/u)
    const bare = end === -1 ? path : path.slice(0, end)
    const last = bare.lastIndexOf("/") + 1
    const place = places.get(`${method} ${bare}`) ?? places.get(`${method} ${bare.slice(0, last)}`)
    if (place === undefined) return undefined
    const { kept, open } = place
    return [kept, open === undefined ? {} : { [open]: unescape(bare.slice(last)) }]
  }
}

/**
 * Returns the name of the endpoint that a text means: with `/api` or without, and whatever its open
 * places are called.
 */
export const named = (text: string): string | undefined =>
  endpoints.find(([, name]) => bare(name) === bare(text))?.[1]

/** Returns the name of the endpoint that a request is for. */
export const of = (method: string, path: string): string | undefined => find(method, path)?.[0]

/** What cannot be unescaped stays as it is, for a schema to refuse. */
const unescape = (segment: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  )

const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(\S+)\s+(?:\/api(?=\/))?/u, (_, method: string) => `${method.toUpperCase()} `)
    .replace(/\{[^/]*\}|:[^/]+/gu, "{}")

const endpoints: ReadonlyArray<readonly [endpoint: HttpApiEndpoint.Top, name: string]> = (() => {
  const all: Array<(typeof endpoints)[number]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replace(/^\/api/u, "").replace(/:([^/]+)/gu, "{$1}")
      all.push([endpoint, `${endpoint.method} ${path}`])
    }
  })
  return all
})()

const find = finder(endpoints)
