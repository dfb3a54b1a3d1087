/**
 * Preload module of a program whose clock a run sets by lines of standard input, in milliseconds.
 * Only the date changes.
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
process.stdin.unref()
