/** A pooler in transaction mode, as PgBouncer is with `pool_mode = transaction`. */
import { server } from "./Postgres.ts"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** AuthenticationOk, and ReadyForQuery outside of a transaction. */
const authenticated = Buffer.from("520000000800000000", "hex")
const idle = Buffer.from("5a0000000549", "hex")
const terminate = 0x58

/**
 * Gives each transaction the session that was freed last. A client must wait for its response, and
 * may not cancel a statement.
 */
export const open = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<Socket>()
    const free: Array<Socket> = []
    const connectWith = async (startup: Buffer) => {
      const session = connect(server.port, server.host)
      sockets.add(session.on("error", () => session.destroy()))
      session.write(startup)
      for await (const bytes of session.iterator({ destroyOnReturn: false })) {
        if ((bytes as Buffer).subarray(-idle.length).equals(idle)) break
      }
      return session.resume()
    }
    const pooler = createServer((client) => {
      sockets.add(client.on("error", () => client.destroy()))
      let startup: Buffer | undefined
      let held: Socket | undefined
      const request = async (bytes: Buffer) => {
        if (startup === undefined) {
          startup = bytes
          return client.write(Buffer.concat([authenticated, idle]))
        }
        if (bytes[0] === terminate) return client.end()
        const session = (held ??= free.pop() ?? (await connectWith(startup)))
        session.removeAllListeners("data").on("data", (answer: Buffer) => {
          if (answer.subarray(-idle.length).equals(idle)) {
            free.push(session)
            held = undefined
          }
          client.write(answer)
        })
        return session.write(bytes)
      }
      client.on("data", (bytes: Buffer) => void request(bytes))
    })
    pooler.listen(0, "127.0.0.1")
    await once(pooler, "listening")
    return {
      port: (pooler.address() as AddressInfo).port,
      close: () => {
        pooler.close()
        for (const socket of sockets) socket.destroy()
      }
    }
  }),
  ({ close }) => Effect.sync(close)
)
