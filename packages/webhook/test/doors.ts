/** Every transaction is PENDING, the handler always succeeds, and the ledger is in memory. */
import * as Handler from "@pawl/core/Handler"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { StatusReader } from "@pawl/core/StatusReader"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { MinimumLogLevel } from "effect/References"
import { connect, type Socket } from "node:net"
import { Ledger, layerMemory } from "../src/Ledger.ts"
import * as NodeReceiver from "../src/NodeReceiver.ts"
import * as Receiver from "../src/Receiver.ts"
import * as Verifier from "../src/Verifier.ts"
import { card, incoming, secret } from "@pawl/test-support/Service"

export const dependencies = Layer.mergeAll(
  Layer.succeed(StatusReader, {
    read: (kind) => Effect.succeed({ kind, status: "PENDING" as const })
  }),
  Handler.layer(() => Effect.void),
  Layer.provide(
    Verifier.layer({ current: Redacted.make(secret), previous: Redacted.make("previous-secret") }),
    NodeHmac.layer
  )
)

/** Counts the stored card callbacks of a transaction. */
export const makeReceiver = () => {
  const ledger = Effect.runSync(
    Effect.scoped(Effect.map(Layer.build(layerMemory), Context.get(Ledger)))
  )
  return {
    layer: Receiver.layer().pipe(
      Layer.provide([dependencies, Layer.succeed(Ledger, ledger)]),
      Layer.provideMerge(Layer.succeed(MinimumLogLevel, "None"))
    ),
    namesPayout: () =>
      Effect.runPromise(Effect.map(ledger.get("card", "100001"), (row) => row?.namesPayout)),
    callbacks: (transactionId = "100001") =>
      Effect.runPromise(Effect.map(ledger.get("card", transactionId), (row) => row?.callbacks ?? 0))
  }
}

export const callbackRequest = () => {
  const { body, checksum = "", search } = incoming("card", card())
  return {
    search,
    body: new TextDecoder().decode(body),
    headers: { "content-type": "application/json", "x-checksum": checksum }
  }
}

export const post = (url: string, changes?: RequestInit) => {
  const { body, headers, search } = callbackRequest()
  return fetch(`${url}${search}`, {
    method: "POST",
    body,
    ...changes,
    headers: { ...headers, ...(changes?.headers as Record<string, string> | undefined) }
  })
}

export const sendRaw = (port: number, write: (socket: Socket) => void) =>
  Effect.callback<string>((resume) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => write(socket))
    const end = () => resume(Effect.succeed(Buffer.concat(chunks).toString("latin1")))
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("error", end)
    socket.on("close", end)
  })

export const local = { host: "127.0.0.1", port: 0 }

/** The head of a genuine callback, without the lines that say how long its body is. */
export const callbackHead = (lines: string) => {
  const { checksum, search } = incoming("card", card())
  return `POST /callback${search} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Checksum: ${checksum}\r\n${lines}`
}

export const listening = Effect.gen(function* () {
  const receiver = makeReceiver()
  const door = NodeReceiver.toListener(receiver.layer)
  yield* Effect.addFinalizer(() => Effect.promise(door.dispose))
  const port = yield* NodeReceiver.listen(door.listener, local)
  return { port, callbacks: Effect.promise(() => receiver.callbacks()) }
})
