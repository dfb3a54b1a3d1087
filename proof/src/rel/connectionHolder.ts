/** Worker that holds connections which send one byte each. */
import { connect } from "node:net"
import { workerData } from "node:worker_threads"

const { closed, count, port } = workerData as {
  readonly port: number
  readonly count: number
  readonly closed: Int32Array
}

const open = (): void => {
  const socket = connect(port, "127.0.0.1", () => socket.write("P"))
  socket.on("error", () => undefined)
  socket.on("close", () => {
    Atomics.add(closed, 0, 1)
    setTimeout(open, 1000)
  })
}

for (let index = 0; index < count; index++) open()
