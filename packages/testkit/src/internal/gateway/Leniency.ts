/**
 * Reads a request without the formats of countries and dates, for a lenient gateway.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"

const free = { billingDetails: ["country", "dateOfBirth"], order: ["date"] }

type Json = Readonly<Record<string, Schema.Json>>

export const reading =
  <E>(read: (body: Schema.Json) => Effect.Effect<unknown, E>) =>
  (body: Schema.Json): Effect.Effect<unknown, E> => {
    if (!isObject(body)) return read(body)
    let checked = body
    const taken: Array<readonly [object: string, texts: Json]> = []
    for (const [object, names] of Object.entries(free)) {
      const fields = body[object]
      if (!isObject(fields)) continue
      const [free, others] = split(fields, names)
      checked = { ...checked, [object]: others }
      taken.push([object, free])
    }
    return Effect.mapEager(read(checked), (payload) =>
      taken.reduce((payload, [object, texts]) => {
        const fields = Predicate.hasProperty(payload, object) ? payload[object] : undefined
        return Predicate.isObject(payload) && Predicate.isObject(fields)
          ? { ...payload, [object]: { ...fields, ...texts } }
          : payload
      }, payload)
    )
  }

const split = (fields: Json, names: ReadonlyArray<string>): readonly [free: Json, others: Json] => {
  const isFree = ([name, value]: readonly [string, Schema.Json]) =>
    names.includes(name) && typeof value === "string"
  const entries = Object.entries(fields)
  return [
    Object.fromEntries(entries.filter(isFree)),
    Object.fromEntries(entries.filter((entry) => !isFree(entry)))
  ]
}

const isObject = (value: Schema.Json | undefined): value is Json =>
  Predicate.isObject(value) && !Array.isArray(value)
