/**
 * A process of its own that accepts callbacks into a place, to be raced and killed.
 *
 * `ready` is printed once it can start, and it starts when something comes on its stdin. `endless`
 * prints each id once `accept` has returned; `shared` accepts ids that others accept too, and prints
 * how many were new.
 */
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { once } from "node:events"
import { Ledger } from "../src/Ledger.ts"
import { card, verified } from "./service.ts"
import { ledgerOf, type Place } from "./places.ts"

const [placeText = "", task, first = ""] = process.argv.slice(2)
const place = JSON.parse(placeText) as Place

const callback = (transactionId: string) => verified("card", card({ transactionId }))

/** Eight at a time, so that there are groups. */
const endless: Effect.Effect<unknown, unknown, Ledger> = Effect.flatMap(Ledger, (ledger) => {
  let number = Number(first)
  const one = Effect.suspend(() => {
    const id = String(number++)
    return Effect.andThen(
      ledger.accept(callback(id), number),
      Effect.sync(() => writeSync(1, `${id}\n`))
    )
  })
  return Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(one)),
    { concurrency: "unbounded" }
  )
})

const shared: Effect.Effect<unknown, unknown, Ledger> = Effect.flatMap(Ledger, (ledger) =>
  Effect.forEach(
    Array.from({ length: 200 }, (_, id) => callback(String(id))),
    (each) => ledger.accept(each, 1000),
    { concurrency: "unbounded" }
  )
).pipe(
  Effect.map((all) => all.filter(({ isNew }) => isNew).length),
  Effect.tap((count) => Effect.sync(() => writeSync(1, `${count}\n`)))
)

writeSync(1, "ready\n")
await once(process.stdin, "data")
await Effect.runPromise(Effect.provide(task === "shared" ? shared : endless, ledgerOf(place)))
process.exit(0)
