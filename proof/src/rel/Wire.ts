/**
 * A way to PostgreSQL that can be cut, or go silent.
 */
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { server } from "./Places.ts"

/** Opens a proxy to the server; `cut` refuses connections, `silence` takes them and carries nothing. */
export const open = Effect.acquireRelease(
  Effect.promise(async () => {
    const sockets = new Set<Socket>()
    let state: "open" | "cut" | "silent" = "open"
    const proxy = createServer((near) => {
      if (state === "cut") {
        near.destroy()
        return
      }
      const far = connect(server.port, server.host)
      for (const [from, to] of [
        [near, far],
        [far, near]
      ] as const) {
        sockets.add(from)
        from.on("data", (bytes) => to.write(bytes))
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
    const all = (next: typeof state, action: (socket: Socket) => void) => () => {
      state = next
      for (const socket of sockets) action(socket)
    }
    return {
      port: (proxy.address() as AddressInfo).port,
      cut: all("cut", (socket) => socket.destroy()),
      silence: all("silent", (socket) => socket.pause()),
      mend: all("open", (socket) => socket.resume()),
      close: () => {
        proxy.close()
        all("cut", (socket) => socket.destroy())()
      }
    }
  }),
  ({ close }) => Effect.sync(close)
)
