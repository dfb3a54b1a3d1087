/**
 * Preload module of a program whose clock a run sets. A line of standard input says how far the clock is ahead of that
 * of the machine, in milliseconds.
 *
 * **Details**
 *
 * The date changes, and nothing else: timers and the monotonic clock go on, as on a machine whose clock is set.
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
// The program ends without waiting for another line.
process.stdin.unref()
