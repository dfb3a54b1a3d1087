/**
 * The Prometheus names of metrics with OpenTelemetry names, by the rules of OpenTelemetry's
 * compatibility page: `_` for `.`, the unit in plural (`_seconds`) unless it is in braces, and
 * `_total` after a counter.
 */
import type * as Metric from "effect/Metric"

const units: Readonly<Record<string, string>> = { s: "_seconds", By: "_bytes" }

export const make = (
  snapshots: ReadonlyArray<Metric.Metric.Snapshot>
): ((id: string) => string) => {
  const names = new Map(snapshots.map((snapshot) => [snapshot.id, nameOf(snapshot)]))
  return (id) => names.get(id) ?? id
}

const nameOf = ({ attributes, id, state, type }: Metric.Metric.Snapshot): string => {
  const withUnit = ended(id.replaceAll(".", "_"), units[attributes?.["unit"] ?? ""] ?? "")
  const isCounter = type === "Counter" && state.incremental
  return isCounter ? ended(withUnit, "_total") : withUnit
}

const ended = (name: string, suffix: string): string =>
  name.endsWith(suffix) ? name : `${name}${suffix}`
