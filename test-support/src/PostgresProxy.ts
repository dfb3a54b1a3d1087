import { server } from "./Postgres.ts"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/**
 * Opens a proxy to the server, or to the port that `portOf` returns for each connection.
 *
 * - `cut`: ends all connections and refuses new ones.
 * - `silence`: accepts connections, but carries no data.
 * - `loseResponse`: loses the next or nth answer of the server, and ends its connection.
 * - `restore`: carries data again.
 */
export const openTo = (portOf: () => number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      let state: "open" | "cut" | "silent" = "open"
      let untilLost = 0
      const proxy = createServer((near) => {
        if (state === "cut") {
          near.destroy()
          return
        }
        const far = connect(portOf(), server.host)
        for (const [from, to] of [
          [near, far],
          [far, near]
        ] as const) {
          sockets.add(from)
          from.on("data", (bytes) => {
            if (from === far && --untilLost === 0) near.destroy()
            else to.write(bytes)
          })
          from.on("error", () => from.destroy())
          from.on("close", () => {
            sockets.delete(from)
            to.destroy()
          })
          if (state === "silent") from.pause()
        }
      })
      proxy.listen(0, "127.0.0.1")
      await once(proxy, "listening")
      const change = (next: typeof state, action: (socket: Socket) => void) => () => {
        state = next
        for (const socket of sockets) action(socket)
      }
      return {
        port: (proxy.address() as AddressInfo).port,
        cut: change("cut", (socket) => socket.destroy()),
        loseResponse: (nth = 1) => {
          untilLost = nth
        },
        silence: change("silent", (socket) => socket.pause()),
        restore: change("open", (socket) => socket.resume()),
        close: () => {
          proxy.close()
          change("cut", (socket) => socket.destroy())()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

export const open = openTo(() => server.port)
