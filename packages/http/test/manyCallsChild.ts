/**
 * Makes many concurrent payments and prints how they end. Arguments: the base URL, the number of
 * calls, and that of connections.
 */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Pawl from "../src/Pawl.ts"
import * as Memory from "./support/memory.ts"

const [baseUrl = "", calls = "", connections] = process.argv.slice(2)

const client = Pawl.layer({
  baseUrl,
  merchantKey: "key",
  merchantSecret: Redacted.make("secret"),
  ...(connections === undefined ? {} : { connections: Number(connections) })
})

const outcomes: Record<string, number> = {}

const pay = (n: number) =>
  Memory.pay({ requestId: `order-${n}` }).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag as string, onSuccess: () => "Success" }),
    Effect.map((outcome) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    })
  )

await Effect.forEach(
  Array.from({ length: Number(calls) }, (_, n) => n),
  pay,
  { concurrency: "unbounded", discard: true }
).pipe(Effect.provide(client), Effect.runPromise)

const { system, user } = process.cpuUsage()
console.log(JSON.stringify({ outcomes, cpuSeconds: (system + user) / 1e6 }))
