/**
 * A receiver in a Durable Object, and the laws of its store, for `pnpm runtimes workerd`. It
 * imports no module of Node.
 */
import * as Handler from "@pawl/core/Handler"
import * as Hmac from "@pawl/core/Hmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as DurableObject from "@pawl/webhook/DurableObject"
import * as Receiver from "@pawl/webhook/Receiver"
import * as Verifier from "@pawl/webhook/Verifier"
import * as WebReceiver from "@pawl/webhook/WebReceiver"
import * as WorkLimits from "@pawl/webhook/internal/rule/WorkLimits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as StoreLaws from "../../src/Laws/Store.ts"

export interface Storage extends DurableObject.Storage {
  readonly deleteAll: () => Promise<void>
}

export interface Report {
  readonly passed: number
  readonly failed: ReadonlyArray<string>
}

/** Histories of a law, each played in an empty database. With one seed a red run names a change. */
const runs = { numRuns: 100, seed: 20261125 }

export const checkLaws = async (storage: Storage): Promise<Report> => {
  const fresh = () =>
    Layer.unwrap(
      Effect.as(
        Effect.promise(() => storage.deleteAll()),
        DurableObject.layer(storage)
      )
    )
  const checks = [
    ...StoreLaws.ledgerLaws.map((law) => ({ law, check: law.check(fresh, runs) })),
    ...StoreLaws.requestLaws.map((law) => ({ law, check: law.check(fresh, runs) }))
  ]
  const failed: Array<string> = []
  for (const { check, law } of checks) {
    await Effect.runPromise(check).catch((error: unknown) => {
      failed.push(`${law.name}: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  return { passed: checks.length - failed.length, failed }
}

export const secret = "durable-secret"

export const finalOf = (transactionId: string): "SUCCEED" | "FAILED" =>
  Number(transactionId) % 2 === 0 ? "SUCCEED" : "FAILED"

/**
 * Makes a receiver over a storage. `GET /told` lists the told transitions in all lives of the
 * object; any other request is a callback.
 */
export const makeReceiver = (storage: Storage): ((request: Request) => Promise<Response>) => {
  storage.sql.exec("CREATE TABLE IF NOT EXISTS told (id TEXT, status TEXT)")
  const receiver = WebReceiver.toHandler(
    Receiver.layer({
      limits: { ...WorkLimits.defaults, reads: 512, readsPerSecond: Infinity, lease: 3000 }
    }).pipe(
      Layer.provide([
        Handler.layer(({ to, transactionId }) =>
          Effect.sync(() => {
            storage.sql.exec("INSERT INTO told (id, status) VALUES (?, ?)", transactionId, to)
          })
        ),
        DurableObject.layer(storage),
        Layer.succeed(StatusReader, {
          // Long enough that most kills come before the handler is called.
          read: (_, id) =>
            Effect.delay(
              Effect.succeed({ kind: "card-payment", status: finalOf(id) } as const),
              "200 millis"
            )
        }),
        Verifier.layer({ current: Redacted.make(secret) })
      ]),
      Layer.provide(Hmac.layer)
    )
  )
  return async (request) => {
    if (new URL(request.url).pathname !== "/told") return receiver.handler(request)
    // The worker goes on with the work that an earlier life has stored.
    await receiver.start()
    return Response.json(storage.sql.exec("SELECT id, status FROM told ORDER BY rowid").toArray())
  }
}
