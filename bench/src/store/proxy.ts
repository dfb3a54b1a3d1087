/**
 * The process of a proxy to a server far away: each direction of a connection takes 2.5 ms. It
 * sends its port to the parent.
 */
import { connect, createServer, type Socket } from "node:net"
import { listen } from "../processes.ts"

const [, , port = ""] = process.argv

const maxBytes = 1024 * 1024

/** Node's timers fire up to one millisecond late. */
const carry = (from: Socket, to: Socket): void => {
  let bytes = 0
  from.on("data", (chunk) => {
    bytes += chunk.length
    if (bytes > maxBytes) from.pause()
    setTimeout(() => {
      to.write(chunk)
      bytes -= chunk.length
      if (bytes <= maxBytes) from.resume()
    }, 2)
  })
  from.on("error", () => from.destroy())
  from.on("close", () => to.destroy())
}

const proxy = createServer({ noDelay: true }, (near) => {
  const far = connect({ host: "127.0.0.1", port: Number(port), noDelay: true })
  carry(near, far)
  carry(far, near)
})
listen(proxy)
