/**
 * The merchant in `rel create`: it sends orders, or enqueues them in the transaction that writes
 * the order.
 *
 * It reads a `Task` from stdin before it opens anything, and ends itself with SIGKILL when it
 * reaches the mark for the `times`th time.
 */
import { Handler } from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { RequestSender } from "@pawl/core/RequestSender"
import * as Pawl from "@pawl/http/Pawl"
import * as CallbackUrl from "@pawl/webhook/CallbackUrl"
import * as LedgerSql from "@pawl/webhook/LedgerSql"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Requests from "@pawl/webhook/Requests"
import { RequestStore } from "@pawl/webhook/internal/ledger/RequestStore"
import * as Seal from "@pawl/webhook/Seal"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import { once } from "node:events"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import * as Stores from "../Stores.ts"
import { createOf, idIn, isEnqueued, type Mark, orderId, orderOf, type Task } from "./Task.ts"

const lines = createInterface({ input: process.stdin })
writeSync(1, "loaded\n")
const [line] = (await once(lines, "line")) as [string]
const {
  baseUrl,
  mark,
  merchantKey = "sandbox-key",
  orders,
  secrets,
  store,
  times
} = JSON.parse(line) as Task
const current = Redacted.make(secrets[0])
const previous = Redacted.make(secrets[1])

const tellsNothing = ["OutcomeUnknown", "StoreUnavailable"]

let left = times
const at = (reached: Mark): Effect.Effect<void> =>
  Effect.sync(() => {
    if (reached === mark && --left === 0) process.kill(process.pid, "SIGKILL")
  })

const around = <A, E, R>(before: Mark, call: Effect.Effect<A, E, R>, after: Mark) =>
  Effect.andThen(at(before), Effect.tap(call, at(after)))

const print = (text: string) => Effect.sync(() => writeSync(1, `${text}\n`))

const database = Layer.provideMerge(LedgerSql.layer, Stores.layerClient({ url: store }, 4))

const markedStore = Layer.effect(
  RequestStore,
  Effect.map(RequestStore, (store) => ({
    ...store,
    write: (...call) => around("before the write", store.write(...call), "written"),
    claim: (options) =>
      Effect.tap(store.claim(options), ({ rows }) =>
        rows.length === 0 ? Effect.void : at("claimed")
      ),
    begin: (...call) => Effect.tap(store.begin(...call), at("begun")),
    settle: (...call) => around("before the outcome", store.settle(...call), "settled"),
    release: (...call) => around("before the release", store.release(...call), "released")
  }))
)

const markedSender = Layer.effect(
  RequestSender,
  Effect.map(RequestSender, (sender) => ({
    ...sender,
    send: (...call) => around("before the first byte", sender.send(...call), "answered")
  }))
)

const service = Pawl.layer({
  baseUrl,
  merchantKey,
  merchantSecret: current,
  profile: {}
})

const handler = Layer.succeed(Handler, {
  handle: ({ to, transactionId }) =>
    around("before the handler", print(`handled ${transactionId} ${to}`), "handled")
})

/** Seal key of its own, because a request may be older than two rotations of the secret. */
const key = Redacted.make(Buffer.alloc(32, 7).toString("base64"))

const requests = Requests.layer({
  callbackUrl: "https://shop.example/callback",
  rebuild: (requestId) => Effect.sync(() => createOf(orderOf(requestId)).input)
}).pipe(
  Layer.provide(markedStore),
  Layer.provide([markedSender, CallbackUrl.layer(current), Seal.layer({ key, current, previous })])
)

const layer = Layer.merge(
  requests,
  Receiver.layer().pipe(Layer.provide([handler, Verifier.layer({ current, previous })]))
).pipe(Layer.provideMerge(database), Layer.provide(service), Layer.provide(NodeHmac.layer))

const program = Effect.gen(function* () {
  const { enqueue, send } = yield* Requests.Requests
  const { run } = yield* LedgerSql.Transactions
  const sql = yield* SqlClient
  yield* print("ready")

  const pay = Effect.fnUntraced(function* (order: number) {
    const requestId = orderId(order)
    const { input, kind } = createOf(order)
    if (!isEnqueued(order)) {
      const response: object = yield* send(kind, input)
      yield* at("before it is told")
      yield* print(`told ${requestId} ${idIn(response)}`)
      return yield* at("told")
    }
    const write = sql`INSERT INTO orders (id) VALUES (${requestId}) ON CONFLICT (id) DO NOTHING`
    const both = Effect.andThen(
      Effect.andThen(write, at("in the transaction")),
      Effect.andThen(enqueue(kind, input), at("before the commit"))
    )
    yield* run(both)
    return yield* print(`enqueued ${requestId}`)
  })

  yield* Effect.forEach(
    orders,
    (order) =>
      pay(order).pipe(
        Effect.tapError(({ _tag }) => print(`failed ${orderId(order)} ${_tag}`)),
        Effect.retry({ times: 3, while: ({ _tag }) => tellsNothing.includes(_tag) }),
        Effect.ignore
      ),
    { concurrency: 4, discard: true }
  )
  yield* print("done")
  return yield* Effect.never
})

await Effect.runPromise(Effect.provide(program, layer))
