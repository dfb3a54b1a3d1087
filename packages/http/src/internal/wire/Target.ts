/**
 * The properties of the requests of an operation, by OpenTelemetry's semantic conventions for HTTP clients.
 */
import type * as Metric from "effect/Metric"
import * as Metrics from "./Metrics.ts"

/** The properties that all requests of an operation have. */
export interface Target {
  readonly spanName: string
  readonly attributes: Readonly<Record<string, string | number>>
  /** Returns what is recorded of a request that ends with a status, or with an error and no response. */
  readonly endOf: (end: number | string) => End
}

/** The end of requests: its attributes, and the histogram of their durations. */
export interface End {
  readonly attributes: Readonly<Record<string, string | number>>
  readonly durations: Metric.Histogram<number>
}

/** Returns the target of the requests with a method to the path of an endpoint. */
export const make = (method: string, baseUrl: string, path: string): Target => {
  const { hostname, pathname, port, protocol } = new URL(baseUrl)
  // The paths of the contract start at the root of the host, and a base URL ends in /api.
  const template = pathname + path.slice("/api".length).replace(/:(\w+)/gu, "{$1}")
  const attributes = {
    "http.request.method": method,
    "url.template": template,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "http:" ? 80 : 443)
  }
  const ends = new Map<number | string, End>()
  return {
    spanName: `${method} ${template}`,
    attributes,
    endOf: (end) => {
      let found = ends.get(end)
      if (found === undefined) {
        const added = endAttributes(end)
        const durations = Metrics.requestDuration({ ...attributes, ...added })
        ends.set(end, (found = { attributes: added, durations }))
      }
      return found
    }
  }
}

/** Returns the attributes of the end of a request. A status of 400 or more is an error. */
const endAttributes = (end: number | string): Readonly<Record<string, string | number>> => ({
  ...(typeof end === "number" && { "http.response.status_code": end }),
  ...(!(Number(end) < 400) && { "error.type": String(end) })
})
