/**
 * Preload module of a program whose clock a run sets. A line of standard input says how many milliseconds it is ahead
 * of the machine. Only the date changes; timers and the monotonic clock go on.
 */
import { createInterface } from "node:readline"

const MachineDate = Date
let ahead = 0
const now = () => MachineDate.now() + ahead

globalThis.Date = new Proxy(MachineDate, {
  get: (target, name, receiver) =>
    name === "now" ? now : (Reflect.get(target, name, receiver) as unknown),
  construct: (target, args: ReadonlyArray<unknown>, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date
})

createInterface({ input: process.stdin }).on("line", (line) => {
  ahead = Number(line)
})
// The program ends without another line.
process.stdin.unref()
