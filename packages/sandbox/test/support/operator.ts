/**
 * A receiver with its admin API on a port. Its service, application and disk fail when a test says
 * so.
 */
import { layer as layerHandler } from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StoreUnavailable } from "@pawl/core/CallbackError"
import { NotFound, Unauthorized, Unreachable } from "@pawl/core/PaymentsError"
import { StatusReader } from "@pawl/core/StatusReader"
import { serve } from "@pawl/test-support/Listener"
import { apm, checksum, incoming } from "@pawl/test-support/Service"
import * as Admin from "@pawl/receiver/Admin"
import * as Ledger from "@pawl/webhook/Ledger"
import * as NodeAdminPage from "@pawl/receiver/internal/admin/NodeAdminPage"
import * as NodeStore from "@pawl/webhook/internal/ledger/NodeStore"
import * as Receiver from "@pawl/webhook/Receiver"
import * as RequestStore from "@pawl/webhook/internal/ledger/RequestStore"
import type { DeadLetter } from "@pawl/webhook/internal/rule/Row"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Semaphore from "effect/Semaphore"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const secrets = { current: "new-secret", previous: "old-secret" }

export interface Faults {
  service: "none" | "silent" | "denied"
  isHandlerBroken: boolean
  isDiskFull: boolean
}

/** Options of a receiver. Its store is in memory, or in a SQLite file. */
export interface Options extends Omit<Admin.Options, "page"> {
  readonly limits?: Receiver.Options["limits"]
  readonly store?: "sqlite"
}

const sqlite = Layer.unwrap(
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "pawl-operator-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    ),
    (path) => NodeStore.layer({ _tag: "sqlite", filename: join(path, "ledger.db") })
  )
)

export const start = Effect.fnUntraced(function* (options: Options = {}) {
  const faults: Faults = { service: "none", isHandlerBroken: false, isDiskFull: false }
  const statuses = new Map<string, string>()
  const stores = yield* Layer.build(
    Layer.provideMerge(
      RequestStore.layerMemory,
      options.store === "sqlite" ? Layer.orDie(sqlite) : Layer.fresh(Ledger.layerMemory)
    )
  )
  const memory = Context.get(stores, Ledger.Ledger)
  const unlessFull = <A>(call: Effect.Effect<A, StoreUnavailable>) =>
    Effect.suspend((): typeof call =>
      faults.isDiskFull ? Effect.fail(new StoreUnavailable({})) : call
    )
  const claims = yield* Semaphore.make(1)
  const ledger: Ledger.Ledger["Service"] = {
    ...memory,
    // The worker must not claim a transaction before it is parked.
    claim: (...all) => claims.withPermits(1)(memory.claim(...all)),
    accept: (...all) => unlessFull(memory.accept(...all)),
    checkWritable: unlessFull(memory.checkWritable)
  }
  const reader: StatusReader["Service"] = {
    read: (kind, id) =>
      Effect.suspend((): ReturnType<StatusReader["Service"]["read"]> => {
        const status = statuses.get(id)
        if (faults.service === "silent")
          return Effect.fail(Unreachable.make({ reason: "no answer", sent: true, attempts: 1 }))
        if (faults.service === "denied") return Effect.fail(Unauthorized.make({ sent: false }))
        return status === undefined
          ? Effect.fail(NotFound.make({}))
          : Effect.succeed({ kind: kind === "apm" ? "apm-payment" : kind, status })
      })
  }
  const built = yield* Layer.build(
    Admin.layer({ ...options, page: yield* NodeAdminPage.files }).pipe(
      Layer.provideMerge(Receiver.layer({ limits: options.limits ?? {} })),
      Layer.provide([
        layerHandler(() => (faults.isHandlerBroken ? Effect.fail("broken") : Effect.void)),
        Layer.succeed(StatusReader, reader),
        Verifier.layer({
          current: Redacted.make(secrets.current),
          previous: Redacted.make(secrets.previous)
        })
      ]),
      Layer.provide(NodeHmac.layer),
      Layer.provide(Layer.succeedContext(Context.add(stores, Ledger.Ledger, ledger)))
    )
  )
  const { respond } = Context.get(built, Admin.Admin)
  const { receive } = Context.get(built, Receiver.Receiver)
  const asked: Array<string> = []
  const runPromise = Effect.runPromiseWith(built)
  const port = yield* serve((request, response) => {
    const { headers, method = "", url = "" } = request
    const [path = "", search] = url.split("?")
    if (method === "POST") asked.push(url)
    void runPromise(respond({ method, path, search, headers })).then((answer) =>
      response.writeHead(answer.status, answer.headers).end(answer.body)
    )
  })

  const callback = (
    transactionId: string,
    transactionStatus: string,
    { amount = "10.00", secret = "current" }: { amount?: string; secret?: string } = {}
  ) => {
    const key = secrets[secret as keyof typeof secrets] ?? secret
    const fields = apm({ amount, transactionId, transactionStatus })
    return runPromise(receive(incoming("apm", fields, { checksum: checksum("apm", fields, key) })))
  }

  const park = (reason: DeadLetter["reason"], ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      for (const transactionId of ids) {
        yield* memory.register({ kind: "apm-payment", transactionId, status: "NEW" }, 0)
        const { rows } = yield* memory.claim({ at: 1, until: 2, limit: 1 })
        for (const row of rows) {
          const deadLetter = { reason, at: 1_790_000_000_000, to: "PENDING" as const }
          yield* memory.write(row, { deadLetter, attempt: 293, release: { dueAt: undefined } })
        }
      }
    }).pipe(claims.withPermits(1), runPromise)

  /** Parks a request whose outcome cannot be found out. */
  const parkRequest = (requestId: string) =>
    Effect.gen(function* () {
      const store = Context.get(stores, RequestStore.RequestStore)
      const request = { kind: "apm-payment", digest: "digest", hasCardData: false } as const
      yield* store.write({ ...request, requestId, body: "sealed" }, { at: 0, until: 1 })
      const { rows } = yield* store.claim({ at: 1, until: 30_000, limit: 1 })
      for (const row of rows) yield* store.park(row, "window", 1_790_000_000_000)
    }).pipe(runPromise)

  return {
    origin: `http://127.0.0.1:${port}`,
    asked,
    callback,
    faults,
    ledger: memory,
    park,
    parkRequest,
    statuses
  }
})

export type Operator = Effect.Success<ReturnType<typeof start>>
