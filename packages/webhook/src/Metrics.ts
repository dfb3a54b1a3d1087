/**
 * Effect metrics of the receiver, for every Effect exporter; `scrape` returns them for Prometheus.
 *
 * **Details**
 *
 * The names below are those of `/metrics`. In OpenTelemetry `pawl.webhook.callbacks.accepted` is
 * `pawl_webhook_callbacks_accepted_total`.
 *
 * | metric | value |
 * |---|---|
 * | `pawl_webhook_callbacks_accepted_total` | callbacks that were stored, repeats included |
 * | `pawl_webhook_callbacks_repeated_total` | accepted callbacks that repeat a known status |
 * | `pawl_webhook_callbacks_quarantined_total` | accepted callbacks that cannot be acted on |
 * | `pawl_webhook_callbacks_refused_total{http_response_status_code}` | callbacks that were not stored, by status code |
 * | `pawl_webhook_bodies_given_up_total` | bodies that were answered 503 before their end, because all open ones had over 32 MiB |
 * | `pawl_webhook_accept_duration_seconds` | histogram: time to store a callback |
 * | `pawl_webhook_transitions_told_total{to}` | transitions that the handler accepted |
 * | `pawl_webhook_handler_failures_total` | calls of the handler that failed |
 * | `pawl_webhook_reads_total{answer}` | reads from the service: `answered`, `unknown` (404), `silent` (no answer) |
 * | `pawl_webhook_reads_put_off_total{lane}` | reads that found no room in the read budget for a second, by lane: `ask`, `repeat`, `watch` |
 * | `pawl_webhook_read_lag_seconds{lane}` | seconds by which the last read of a lane was late |
 * | `pawl_webhook_alarms_total{reason}` | alarms |
 * | `pawl_webhook_transactions_dead_lettered_total{reason}` | transactions that became dead letters |
 * | `pawl_webhook_requests_settled_total{outcome}` | requests whose outcome became known |
 * | `pawl_webhook_requests_parked_total{reason}` | requests that were parked |
 * | `pawl_webhook_dead_letters` | gauge: dead letters now |
 * | `pawl_webhook_transactions_due` | gauge: transactions that are due now and not leased |
 * | `pawl_webhook_oldest_due_age_seconds` | gauge: time since the oldest of these fell due |
 *
 * With several merchants (`Merchants`), their metrics have the label `merchant`.
 *
 * No label contains a transaction id, so the number of series is bounded.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { alarmsFor, counter, counters } from "./internal/rule/Counters.ts"
import * as LedgerClock from "./internal/ledger/LedgerClock.ts"
import * as PrometheusNames from "./internal/journal/PrometheusNames.ts"
import type { Event } from "./Journal.ts"
import { Ledger } from "./Ledger.ts"
import { type ReadLane, readLanes } from "./internal/rule/Row.ts"

const accepted = counter("callbacks.accepted", "Callbacks that were stored")
const repeats = counter("callbacks.repeated", "Accepted callbacks that repeat a known status")
const quarantined = counter("callbacks.quarantined", "Accepted callbacks that cannot be acted on")
const refusedWith = counters(
  "callbacks.refused",
  "http.response.status_code",
  "Callbacks that were not stored, by status code"
)
const toldOf = counters("transitions.told", "to", "Transitions that the handler accepted")
const handlerFailures = counter("handler.failures", "Calls of the handler that failed")
const readsWith = counters("reads", "answer", "Reads from the service, by its answer")
const putOffIn = counters("reads.put_off", "lane", "Reads without room in the budget, by lane")
const readLags = Object.fromEntries(
  readLanes.map((lane) => [
    lane,
    Metric.gauge("pawl.webhook.read.lag", {
      description: "Time by which the last read of a lane was late",
      attributes: { lane, unit: "s" }
    })
  ])
) as Readonly<Record<ReadLane, Metric.Gauge<number>>>
const deadLetteredFor = counters(
  "transactions.dead_lettered",
  "reason",
  "Transactions that became dead letters"
)
const acceptSeconds = Metric.histogram("pawl.webhook.accept.duration", {
  description: "Time to store a callback",
  attributes: { unit: "s" },
  boundaries: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
})
// PURE: see `scrape`.
const deadLetters = /* @__PURE__ */ Metric.gauge("pawl.webhook.dead_letters", {
  description: "Dead letters now",
  attributes: { unit: "{dead_letter}" }
})
const due = /* @__PURE__ */ Metric.gauge("pawl.webhook.transactions.due", {
  description: "Transactions that are due now and not leased",
  attributes: { unit: "{transaction}" }
})
const oldestDueSeconds = /* @__PURE__ */ Metric.gauge("pawl.webhook.oldest_due.age", {
  description: "Time since the oldest due transaction fell due",
  attributes: { unit: "s" }
})

/**
 * Creates the counters of the alerts at zero: Prometheus sees no change in the first value of a
 * series.
 *
 * @category metrics
 * @since 0.1.0
 */
export const begin = (context: Context.Context<never>): void => {
  const refused = [refusedWith("401"), refusedWith("503")]
  const counters = [accepted, quarantined, handlerFailures, readsWith("silent"), ...refused]
  for (const metric of counters) metric.updateUnsafe(0, context)
}

/**
 * Counts an event of the journal, without effects, because it runs for every callback.
 *
 * @category metrics
 * @since 0.1.0
 */
export const count = (event: Event, context: Context.Context<never>): void => {
  for (const metric of metricsOf(event)) metric.updateUnsafe(1, context)
}

const readLabels: Readonly<Record<string, string>> = { "404": "unknown", "no answer": "silent" }

const metricsOf = (event: Event): ReadonlyArray<Metric.Counter<number>> => {
  switch (event._tag) {
    case "Accepted":
      return event.isNew ? [accepted] : [accepted, repeats]
    case "Quarantined":
      return [accepted, quarantined]
    case "Read":
      return [readsWith(readLabels[event.result] ?? "answered")]
    case "Told":
      return [toldOf(event.to)]
    case "HandlerFailed":
      return [handlerFailures]
    case "DeadLettered":
      return [deadLetteredFor(event.reason)]
    case "Alarm":
      return [alarmsFor(event.reason)]
  }
}

/**
 * Counts a callback that was not stored.
 *
 * @category metrics
 * @since 0.1.0
 */
export const countRefused = (status: number, context: Context.Context<never>): void =>
  refusedWith(String(status)).updateUnsafe(1, context)

/**
 * Counts a read that was put off.
 *
 * @category metrics
 * @since 0.1.0
 */
export const countPutOff = (lane: ReadLane, context: Context.Context<never>): void =>
  putOffIn(lane).updateUnsafe(1, context)

/**
 * Records by how many seconds a read was late.
 *
 * @category metrics
 * @since 0.1.0
 */
export const recordReadLag = (
  lane: ReadLane,
  seconds: number,
  context: Context.Context<never>
): void => readLags[lane].updateUnsafe(seconds, context)

/**
 * Records the time that it took to store a callback, in seconds.
 *
 * @category metrics
 * @since 0.1.0
 */
export const recordAcceptTime = (seconds: number, context: Context.Context<never>): void =>
  acceptSeconds.updateUnsafe(seconds, context)

/**
 * The content type of the text that `scrape` returns.
 *
 * @category metrics
 * @since 0.1.0
 */
export const contentType = "text/plain; version=0.0.4; charset=utf-8"

/**
 * Returns every metric of the process in the Prometheus text format. The gauges read the ledger,
 * and are left out while it is unavailable.
 *
 * @category metrics
 * @since 0.1.0
 */
export const scrape: Effect.Effect<string, never, Ledger> =
  // PURE: without `scrape` a bundle drops the Prometheus format, 1.3 of a receiver's 43 kB.
  /* @__PURE__ */ Effect.flatMap(Ledger, (ledger) => scrapeAll([{ labels: {}, ledger }]))

/**
 * Scrapes with the gauges of each ledger under its own labels. `only` keeps the series with these
 * labels.
 *
 * @category metrics
 * @since 0.1.0
 */
export const scrapeAll = /* @__PURE__ */ Effect.fnUntraced(function* (
  ledgers: ReadonlyArray<{
    readonly labels: Readonly<Record<string, string>>
    readonly ledger: Ledger["Service"]
  }>,
  only: Readonly<Record<string, string>> = {}
): Effect.fn.Return<string> {
  const attributes = yield* Metric.CurrentMetricAttributes
  yield* Effect.forEach(
    ledgers,
    ({ labels, ledger }) =>
      Effect.provideService(updateGauges(ledger), Metric.CurrentMetricAttributes, {
        ...attributes,
        ...labels
      }),
    { discard: true, concurrency: "unbounded" }
  )
  const shown = [...(yield* Metric.MetricRegistry)].filter(([, { attributes }]) =>
    Object.entries(only).every(([name, value]) => attributes?.[name] === value)
  )
  return yield* format.pipe(Effect.provideService(Metric.MetricRegistry, new Map(shown)))
})

const format = /* @__PURE__ */ Effect.flatMap(Metric.snapshot, (snapshot) =>
  PrometheusMetrics.format({ metricNameMapper: PrometheusNames.make(snapshot) })
)

const updateGauges = /* @__PURE__ */ Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const at = LedgerClock.timeOf(ledger, yield* Clock.Clock)
  yield* Effect.matchEffect(ledger.backlog(at), {
    onFailure: () =>
      Effect.forEach([deadLetters, due, oldestDueSeconds], (gauge) => Metric.remove(gauge), {
        discard: true
      }),
    onSuccess: (backlog) =>
      Effect.all([
        Metric.update(deadLetters, backlog.deadLetters),
        Metric.update(due, backlog.due),
        Metric.update(oldestDueSeconds, (at - (backlog.oldestDueAt ?? at)) / 1000)
      ])
  })
})
