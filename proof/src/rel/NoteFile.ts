/**
 * A file to which the processes of a run append their notes.
 */
import { openSync, readFileSync, writeSync } from "node:fs"
import type { Note, Write } from "../model/Traces.ts"

/** The leases of the recorded receivers, in milliseconds. */
export const lease = 9000

/** The system appends each line as a whole. */
export const open = (path: string): Write => {
  const file = openSync(path, "a")
  return (note) => void writeSync(file, `${JSON.stringify(note)}\n`)
}

export const read = (path: string): ReadonlyArray<Note> =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Note)
