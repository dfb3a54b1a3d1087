/**
 * The endpoints of the contract, and which of them a request is for.
 *
 * **Details**
 *
 * An endpoint is named by its method and its path after the `/api` of the base address:
 * `GET /v1/payments/apm/status/{id}`.
 *
 * @since 0.1.0
 */
import { Api } from "@pawl/http/Api"
import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as Result from "effect/Result"

/**
 * What stands in the places of a path that are left open.
 *
 * @category models
 * @since 0.1.0
 */
export type Params = Readonly<Record<string, string>>

/**
 * Makes the function that tells whether a request is for an endpoint, and with what in its open places.
 *
 * @category constructors
 * @since 0.1.0
 */
export const matcher = (
  endpoint: HttpApiEndpoint.Top
): ((method: string, path: string) => Params | undefined) => {
  const pattern = segments(endpoint.path)
  return (method, path) => {
    if (method !== endpoint.method) return undefined
    const given = segments(path)
    if (given.length !== pattern.length) return undefined
    const params: Record<string, string> = {}
    for (const [at, expected] of pattern.entries()) {
      const segment = given[at] ?? ""
      if (expected.startsWith(":")) params[expected.slice(1)] = unescape(segment)
      else if (expected !== segment) return undefined
    }
    return params
  }
}

/**
 * Returns the name of the endpoint that a text means: with `/api` or without, and whatever its open
 * places are called.
 *
 * @category getters
 * @since 0.1.0
 */
export const named = (text: string): string | undefined =>
  endpoints.find(({ name }) => bare(name) === bare(text))?.name

/**
 * Returns the name of the endpoint that a request is for.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (method: string, path: string): string | undefined =>
  endpoints.find(({ match }) => match(method, path) !== undefined)?.name

const segments = (path: string): Array<string> => path.replace(/[?#].*$/u, "").split("/")

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

const endpoints: ReadonlyArray<{
  readonly name: string
  readonly match: ReturnType<typeof matcher>
}> = (() => {
  const all: Array<(typeof endpoints)[number]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const path = endpoint.path.replace(/^\/api/u, "").replace(/:([^/]+)/gu, "{$1}")
      all.push({ name: `${endpoint.method} ${path}`, match: matcher(endpoint) })
    }
  })
  return all
})()
