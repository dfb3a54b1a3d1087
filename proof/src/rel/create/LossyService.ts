/**
 * A service over HTTP that processes each requestId once, and loses requests and responses.
 */
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import { setTimeout as sleep } from "node:timers/promises"
import type { SeededRandom } from "../SeededRandom.ts"

/** The longest time of a response, in milliseconds. */
const maxDelay = 20

interface Body {
  readonly requestId: string
}

/**
 * Starts the service. `effects` has the transaction of each requestId. `loss` is the probability that a request or its
 * response is lost.
 */
export const start = Effect.fnUntraced(function* (
  random: SeededRandom,
  loss: number,
  miss: (sentence: string) => void
) {
  const effects = new Map<string, { readonly transactionId: string; readonly body: string }>()
  const ids = new Set<string>()
  const figures = { requests: 0, lostRequests: 0, lostResponses: 0, repeated: 0 }
  let isLossy = true

  const port = yield* serve((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    const pay = async (): Promise<void> => {
      const text = await readText(request)
      figures.requests++
      const isLost = isLossy && random.isTrue(loss)
      if (isLost && random.isTrue(0.5)) {
        figures.lostRequests++
        request.socket.destroy()
        return
      }
      const { requestId } = JSON.parse(text) as Body
      const known = effects.get(requestId)
      if (known !== undefined) figures.repeated++
      if (known !== undefined && known.body !== text) miss(`${requestId} came with another body`)
      const effect = known ?? { transactionId: String(100_001 + effects.size), body: text }
      effects.set(requestId, effect)
      ids.add(effect.transactionId)
      await sleep(random.below(maxDelay))
      if (isLost) {
        figures.lostResponses++
        request.socket.destroy()
        return
      }
      const { transactionId } = effect
      answer(200, { requestId, transactionId, transactionStatus: "SUCCEED" })
    }
    if (request.url === "/api/v1/auth") {
      request.resume()
      answer(200, { accessToken: "sandbox-token" })
    } else if (request.method === "POST") {
      pay().catch(() => request.socket.destroy())
    } else {
      request.resume()
      const id = /\/payments\/apm\/status\/(.+)$/u.exec(request.url ?? "")?.[1] ?? ""
      if (ids.has(id)) answer(200, "SUCCEED")
      else answer(404, { error: "not found" })
    }
  })
  return {
    effects,
    figures,
    baseUrl: `http://127.0.0.1:${port}/api`,
    /** Loses nothing any more. */
    repair: () => {
      isLossy = false
    }
  }
})
