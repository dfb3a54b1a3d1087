/** The endpoints of the contract, named by method and path: `GET /v1/payments/apm/status/{id}`. */
import * as Contract from "@pawl/http/internal/wire/Endpoint"
import * as Result from "effect/Result"

export const all = Object.values(Contract)

export type Endpoint = (typeof all)[number]

export type Params = Readonly<Record<string, string>>

/** Finds the value stored for the endpoint of a request, and its path parameter. */
export const finder = <A>(
  values: Iterable<readonly [endpoint: Endpoint, value: A]>
): ((method: string, path: string) => readonly [value: A, params: Params] | undefined) => {
  const byPath = new Map<string, { readonly value: A; readonly parameter: string | undefined }>()
  for (const [{ method, path }, value] of values) {
    const [fixed, parameter] = path.split(/:(\w+)$/u)
    byPath.set(`${method} ${fixed}`, { value, parameter })
  }
  return (method, path) => {
    const end = path.search(/[?#]/u)
    const bare = end === -1 ? path : path.slice(0, end)
    const last = bare.lastIndexOf("/") + 1
    const endpoint =
      byPath.get(`${method} ${bare}`) ?? byPath.get(`${method} ${bare.slice(0, last)}`)
    if (endpoint === undefined) return undefined
    const { parameter, value } = endpoint
    return [value, parameter === undefined ? {} : { [parameter]: unescape(bare.slice(last)) }]
  }
}

/** A name may begin with `/api` and have any names of path parameters. */
export const named = (text: string): string | undefined =>
  endpoints.find(([, name]) => bare(name) === bare(text))?.[1]

export const of = (method: string, path: string): string | undefined => find(method, path)?.[0]

/** An invalid escape stays as it is, and the schema refuses it. */
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

const endpoints = all.map((endpoint): readonly [endpoint: Endpoint, name: string] => {
  const path = endpoint.path.replace(/^\/api/u, "").replace(/:([^/]+)/gu, "{$1}")
  return [endpoint, `${endpoint.method} ${path}`]
})

const find = finder(endpoints)
