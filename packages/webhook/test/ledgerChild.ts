/**
 * A process that accepts callbacks into a store. Tests kill it, or run several.
 *
 * It prints `ready`, and starts at the first input on stdin. `endless` prints each accepted id.
 * `shared` accepts the same ids as other processes, and prints how many were new.
 */
import * as Effect from "effect/Effect"
import { writeSync } from "node:fs"
import { once } from "node:events"
import { Ledger } from "../src/Ledger.ts"
import { card, verified } from "@pawl/test-support/Service"
import { ledgerOf, type Place } from "@pawl/test-support/Places"

const [placeText = "", task, first = ""] = process.argv.slice(2)
const place = JSON.parse(placeText) as Place

const callback = (transactionId: string) => verified("card", card({ transactionId }))

/** Accepts eight at a time, so that they are committed in groups. */
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
