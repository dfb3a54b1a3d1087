/** Processes of the merchant on one store, which can be killed. */
import * as Program from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type { Miss } from "../Run.ts"
import * as Stores from "../Stores.ts"
import { secretsAfter, type Task } from "./Task.ts"

const script = new URL("./merchant.ts", import.meta.url).pathname

/**
 * The reports: `told`, when a caller got the response with a transaction, and `enqueued`, when the
 * transaction that enqueued an order was committed.
 */
interface Reports {
  readonly told?: (id: string, transactionId: string) => void
  readonly enqueued?: (id: string) => void
  readonly handled?: (transactionId: string, status: string) => void
  readonly failed?: (id: string, tag: string) => void
  readonly miss: Miss
}

export interface RequestLine {
  readonly id: string
  readonly outcome: string | null
  readonly transaction_id: string | null
  readonly due_at: number | bigint | null
  readonly parked_at: number | bigint | null
}

/** Makes the table of orders. A task is that of no orders without a mark, but for what is given. */
export const make = Effect.fnUntraced(function* (
  store: Stores.SqlStore,
  baseUrl: string,
  { miss, ...reports }: Reports
) {
  const scope = yield* Effect.scope
  const context = yield* Effect.context<Scope.Scope>()
  const runSync = Effect.runSyncWith(context)
  const runPromise = Effect.runPromiseWith(context)
  const cache = yield* Stores.folder
  const query = yield* Stores.queryOf(store)
  yield* Effect.promise(() => query("CREATE TABLE orders (id TEXT PRIMARY KEY)"))
  const defaults: Task = {
    baseUrl,
    store: store.url,
    orders: [],
    mark: undefined,
    times: 1,
    secrets: secretsAfter(0)
  }

  const start = () => {
    const own = runSync(Scope.fork(scope))
    const program = runSync(
      Scope.provide(Program.start(process.execPath, [script], { NODE_COMPILE_CACHE: cache }), own)
    )
    program.child.stdin.on("error", () => {})
    const state = { isReady: false, isDone: false, hasEnded: false }
    let rest = ""
    program.child.stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const [what = "", id = "", value = ""] = line.split(" ")
        if (Object.hasOwn(reports, what)) reports[what as keyof typeof reports]?.(id, value)
        if (what === "ready") state.isReady = true
        if (what === "done") state.isDone = true
      }
    })
    program.child.once("exit", () => {
      state.hasEnded = true
    })
    return {
      state,
      give: (task: Partial<Task> = {}) =>
        program.child.stdin.write(`${JSON.stringify({ ...defaults, ...task })}\n`),
      errors: () => program.stderr().slice(-2000),
      pause: () => program.child.kill("SIGSTOP"),
      resume: () => program.child.kill("SIGCONT"),
      /** Kills the process, and returns whether it had ended at its mark. */
      end: async (): Promise<boolean> => {
        const wasEnded = state.hasEnded
        program.child.kill("SIGKILL")
        const { signal } = await runPromise(program.exited)
        if (signal !== "SIGKILL") miss(`a process ended by itself: ${program.stderr()}`)
        await runPromise(Scope.close(own, Exit.void))
        return wasEnded
      }
    }
  }
  const requests = () =>
    query<RequestLine>(
      `SELECT request_id AS id, outcome, transaction_id, due_at, parked_at FROM pawl_requests_view`
    )
  return { query, requests, start }
})
