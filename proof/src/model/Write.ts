/**
 * The changes that a worker makes: to its own work, and to the row under its lease.
 */
import type { Rules } from "./Rules.ts"
import type { Index, Row, State, Work, Worker } from "./State.ts"

/** Returns the state after a worker went on. */
export const withWork = (state: State, by: Index, work: Work): State =>
  withWorker(state, by, { work })

export const withWorker = (state: State, by: Index, change: Partial<Worker>): State => {
  const worker = { ...state.workers[by], ...change }
  const isLate = worker.pace === "late" && worker.work.stage !== "idle"
  const next: Worker = worker.pace === "late" && !isLate ? { ...worker, pace: "on time" } : worker
  const [one, two] = state.workers
  return { ...state, workers: by === 0 ? [next, two] : [one, next] }
}

/** Writes to the row and goes on. Without the lease nothing is written, and the work ends. */
export const write = (
  state: State,
  by: Index,
  { fencesWrites }: Rules,
  change: (row: Row) => Partial<Row>,
  work: (row: Row) => Work
): State => {
  const { row } = state
  if (row === undefined || (fencesWrites && row.lease?.by !== by)) {
    return withWork(state, by, { stage: "idle" })
  }
  const written = { ...row, ...change(row) }
  return withWork({ ...state, row: written }, by, work(written))
}
