/**
 * The progress of a payout run: a bar on a terminal, and a summary at the end.
 */
import * as Effect from "effect/Effect"
import type { End, Ends } from "./PayoutRun.ts"

const width = 40

/** Such as `██████░░░░ 60/100`. */
export const bar = (ended: number, total: number): string => {
  const filled = total === 0 ? width : Math.floor((ended / total) * width)
  return `${"█".repeat(filled)}${"░".repeat(width - filled)} ${ended}/${total}`
}

/** The output of a process, such as `process.stderr`. */
interface Output {
  readonly isTTY: boolean
  readonly write: (text: string) => unknown
}

/** Draws the bar over the last one. Where the output is no terminal, it draws nothing. */
export const draw =
  (total: number, output: Output = process.stderr) =>
  ({ size }: Ends): Effect.Effect<void> =>
    Effect.sync(() => {
      if (output.isTTY) output.write(`\r${bar(size, total)}${size === total ? "\n" : ""}`)
    })

const order: ReadonlyArray<End> = ["made", "declined", "not sent", "parked"]

/** Formats the number of payouts with each end, and the ids of those that were not made. */
export const summary = (ends: Ends): string => {
  const idsWith = (end: End) => Array.from(ends).flatMap(([id, each]) => (each === end ? [id] : []))
  const counts = order
    .map((end) => `${idsWith(end).length} ${end}`)
    .filter((count) => !count.startsWith("0 "))
  const others = order.slice(1).flatMap((end) => idsWith(end).map((id) => `${id}: ${end}`))
  return [`${ends.size} payouts: ${counts.join(", ")}`, ...others].join("\n")
}
