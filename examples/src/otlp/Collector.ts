/**
 * A collector of OpenTelemetry in small: takes spans, metrics and logs in OTLP's JSON over HTTP.
 */
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Schema from "effect/Schema"

/** One span, one data point of a metric, or one line of a log. The `value` of a span is its duration in seconds. */
export interface Sample {
  readonly signal: "span" | "metric" | "log"
  readonly name: string
  readonly kind?: "sum" | "gauge" | "histogram"
  readonly unit?: string
  readonly value: number
  readonly attributes: Readonly<Record<string, string>>
}

const list = <S extends Schema.Top>(item: S) =>
  Schema.Array(item).pipe(Schema.withDecodingDefault(Effect.succeed([])))
const attributes = list(
  Schema.Struct({ key: Schema.String, value: Schema.Record(Schema.String, Schema.Unknown) })
)
const number = Schema.Union([Schema.Finite, Schema.FiniteFromString])

const Point = Schema.Struct({
  attributes,
  asDouble: Schema.optional(number),
  asInt: Schema.optional(number),
  count: Schema.optional(number)
})
const Points = Schema.optional(Schema.Struct({ dataPoints: Schema.Array(Point) }))
const Metric = Schema.Struct({
  name: Schema.String,
  unit: Schema.optional(Schema.String),
  sum: Points,
  gauge: Points,
  histogram: Points
})
const Span = Schema.Struct({
  name: Schema.String,
  startTimeUnixNano: number,
  endTimeUnixNano: number,
  attributes
})
const LogRecord = Schema.Struct({ body: Schema.Record(Schema.String, Schema.Unknown), attributes })

const Body = Schema.Struct({
  resourceSpans: list(
    Schema.Struct({ scopeSpans: list(Schema.Struct({ spans: Schema.Array(Span) })) })
  ),
  resourceMetrics: list(
    Schema.Struct({ scopeMetrics: list(Schema.Struct({ metrics: Schema.Array(Metric) })) })
  ),
  resourceLogs: list(
    Schema.Struct({ scopeLogs: list(Schema.Struct({ logRecords: Schema.Array(LogRecord) })) })
  )
})

const textOf = (value: Readonly<Record<string, unknown>>): string =>
  Object.values(value).map(String).join(" ")

const recordOf = (all: typeof attributes.Type) =>
  Object.fromEntries(all.map(({ key, value }) => [key, textOf(value)]))

const samplesOf = (body: typeof Body.Type): ReadonlyArray<Sample> => {
  const spans = body.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((one) => one.spans)
  )
  const metrics = body.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap((one) => one.metrics)
  )
  const records = body.resourceLogs.flatMap(({ scopeLogs }) =>
    scopeLogs.flatMap((one) => one.logRecords)
  )
  return [
    ...spans.map(({ attributes, endTimeUnixNano, name, startTimeUnixNano }) => ({
      signal: "span" as const,
      name,
      value: (endTimeUnixNano - startTimeUnixNano) / 1e9,
      attributes: recordOf(attributes)
    })),
    ...metrics.flatMap(({ name, unit = "", ...points }) =>
      (["sum", "gauge", "histogram"] as const).flatMap((kind) =>
        (points[kind]?.dataPoints ?? []).map(({ asDouble, asInt, attributes, count }) => ({
          signal: "metric" as const,
          name,
          kind,
          unit,
          value: asDouble ?? asInt ?? count ?? 0,
          attributes: recordOf(attributes)
        }))
      )
    ),
    ...records.map(({ attributes, body }) => ({
      signal: "log" as const,
      name: textOf(body),
      value: 0,
      attributes: recordOf(attributes)
    }))
  ]
}

export const route = (collect: (sample: Sample) => Effect.Effect<void>) =>
  HttpRouter.add(
    "POST",
    "/v1/:signal",
    Effect.gen(function* () {
      const body = yield* HttpServerRequest.schemaBodyJson(Body)
      yield* Effect.forEach(samplesOf(body), collect, { discard: true })
      return HttpServerResponse.jsonUnsafe({})
    })
  )
