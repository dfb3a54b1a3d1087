/** The merchant's application over HTTP, which notes when it was first told each status. */
import type { Transition } from "@pawl/core/Handler"
import type { Status } from "@pawl/core/Status"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import { getOrMake } from "../GetOrMake.ts"

type Answer = (
  transition: Transition,
  path: string
) => number | undefined | Promise<number | undefined>

/** Serves an application that answers each call with a status code, or never. Returns its URL. */
export const serveTransitions = (answer: Answer) =>
  Effect.map(
    serve((request, response) => {
      void (async () => {
        const body = await readText(request).catch(() => undefined)
        // The receiver ended while it sent the call.
        if (body === undefined) return
        const code = await answer(JSON.parse(body) as Transition, request.url ?? "")
        if (code !== undefined) response.writeHead(code).end()
      })()
    }),
    (port) => `http://127.0.0.1:${port}/`
  )

interface Told {
  readonly at: number
  readonly calls: number
}

/** Starts an application; a call that it answers with an error does not count as told. */
export const start = (answer: (transition: Transition) => number | undefined = () => 200) =>
  Effect.gen(function* () {
    const byStatus = new Map<Status, Map<string, Told>>()
    /** Returns the first time and the calls of each transaction with a status, as they grow. */
    const told = (status: Status) => getOrMake(byStatus, status, () => new Map())
    const url = yield* serveTransitions((transition) => {
      const code = answer(transition)
      if (code === undefined || code < 400) {
        const { to, transactionId } = transition
        const { at = performance.now(), calls = 0 } = told(to).get(transactionId) ?? {}
        told(to).set(transactionId, { at, calls: calls + 1 })
      }
      return code
    })
    return { told: (status: Status): ReadonlyMap<string, Told> => told(status), url }
  })
