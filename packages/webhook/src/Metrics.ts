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
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as PrometheusNames from "./internal/journal/PrometheusNames.ts"
import { Ledger } from "./Ledger.ts"

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
  const at = ledger.time(yield* Clock.Clock)
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
