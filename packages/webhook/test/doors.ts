/**
 * A receiver to put behind a door: a service that knows every transaction as PENDING, a handler that takes
 * everything, and a ledger in memory that can be looked into.
 */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import { createServer, type RequestListener, Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { card, incoming, secret } from "./service.ts"

/** What a receiver needs, but for its ledger. */
export const surroundings = Layer.mergeAll(
  Layer.succeed(StatusReader, {
    read: (kind) => Effect.succeed({ kind, status: "PENDING" as const })
  }),
  Handler.layer(() => Effect.void),
  Layer.provide(
    Verifier.layer({ current: Redacted.make(secret), previous: Redacted.make("previous-secret") }),
    NodeHmac.layer
  )
)

/** A receiver's layer, and how often its ledger took the card callback of a transaction. */
export const watched = () => {
  const ledger = Effect.runSync(
    Effect.scoped(Effect.map(Layer.build(layerMemory), Context.get(Ledger)))
  )
  return {
    layer: Receiver.layer().pipe(
      Layer.provide([surroundings, Layer.succeed(Ledger, ledger)]),
      Layer.provideMerge(Layer.succeed(MinimumLogLevel, "None"))
    ),
    callbacks: (transactionId = "100001") =>
      Effect.runPromise(Effect.map(ledger.get("card", transactionId), (row) => row?.callbacks ?? 0))
  }
}

/** Serves a listener, or opens a server, on a port of its own. */
export const serve = (served: RequestListener | Server) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly end: () => void }>((resume) => {
      const server = served instanceof Server ? served : createServer(served)
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            port: (server.address() as AddressInfo).port,
            end: () => {
              server.close()
              server.closeAllConnections()
            }
          })
        )
      )
    }),
    ({ end }) => Effect.sync(end)
  )

/** A card callback of the service, ready for `fetch`. */
export const sent = () => {
  const { body, checksum = "", search } = incoming("card", card())
  return {
    search,
    body: new TextDecoder().decode(body),
    headers: { "content-type": "application/json", "x-checksum": checksum }
  }
}

/** Posts it; `changes` is what went wrong with it. */
export const post = (url: string, changes?: RequestInit) => {
  const { body, headers, search } = sent()
  return fetch(`${url}${search}`, {
    method: "POST",
    body,
    ...changes,
    headers: { ...headers, ...(changes?.headers as Record<string, string> | undefined) }
  })
}

/** Says something to a server in so many bytes, and gives back all it said until it closed. */
export const say = (port: number, write: (socket: Socket) => void) =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => write(socket))
    const end = () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1")))
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("error", end)
    socket.on("close", end)
  })
