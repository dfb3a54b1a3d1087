/**
 * A service over HTTP that processes each requestId once, and loses requests and responses.
 */
import * as Checksum from "@pawl/core/Checksum"
import * as NodeHmac from "@pawl/core/NodeHmac"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { setTimeout as sleep } from "node:timers/promises"
import type { Miss } from "../Run.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import { secretsAfter } from "./Task.ts"

const maxDelay = 20

type Fields = Readonly<Record<string, unknown>>

const transaction = (transactionId: string) => ({ transactionId, transactionStatus: "SUCCEED" })

/** The responses of the creates that are not as most. */
const responses: Readonly<Record<string, (id: string) => Fields>> = {
  "refunds/card": (refundId) => ({ refundId, transactionStatus: "SUCCEED" }),
  "payments/card/recurring": (transactionId) => ({
    subscriptionId: `9${transactionId}`,
    ...transaction(transactionId)
  }),
  "payments/intent": (id) => ({ redirectUrl: `https://pay.example/${id}` })
}

/**
 * A request's effect; a rotation changes the checksum and the callback URL, which `body` leaves
 * out.
 */
interface Made {
  readonly transactionId: string
  readonly path: string
  readonly body: string
}

interface Options {
  readonly random: SeededRandom
  readonly miss: Miss
  readonly loss?: number
  readonly secretOf?: () => string
}

/** Starts the service, which accepts only the secret that `secretOf` returns now. */
export const start = Effect.fnUntraced(function* ({
  loss = 0,
  miss,
  random,
  secretOf = () => secretsAfter(0)[0]
}: Options) {
  const effects = new Map<string, Made>()
  const ids = new Map<string, string>()
  const figures = { requests: 0, lostRequests: 0, lostResponses: 0, repeated: 0, wrongChecksums: 0 }
  let isLossy = true

  const port = yield* serve((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    const path = (request.url ?? "").replace("/api/v1/", "")
    const create = async (): Promise<void> => {
      const { checksum, ...fields } = JSON.parse(await readText(request)) as Fields & {
        readonly requestId: string
        readonly checksum?: string
      }
      const { requestId } = fields
      figures.requests++
      const isLost = isLossy && random.isTrue(loss)
      if (isLost && random.isTrue(0.5)) {
        figures.lostRequests++
        request.socket.destroy()
        return
      }
      // A killed process may leave a request of the earlier secret on its way.
      const sign = NodeHmac.keyed(Redacted.make(secretOf()))
      const signed = fields as Parameters<typeof Checksum.request>[2]
      if (checksum !== undefined && checksum !== Checksum.request(sign, "|", signed)) {
        figures.wrongChecksums++
        return void answer(400, { message: "checksum" })
      }
      const { callbackUrl: _, ...rest } = fields
      const body = JSON.stringify(rest)
      const known = effects.get(requestId)
      if (known !== undefined) figures.repeated++
      if (known !== undefined && (known.body !== body || known.path !== path)) {
        miss(`${requestId} came with another body`)
      }
      const made = known ?? { transactionId: String(100_001 + effects.size), path, body }
      effects.set(requestId, made)
      ids.set(made.transactionId, path)
      await sleep(random.below(maxDelay))
      if (isLost) {
        figures.lostResponses++
        request.socket.destroy()
        return
      }
      const respond = responses[path] ?? transaction
      answer(200, { requestId, ...respond(made.transactionId) })
    }
    const login = async (): Promise<void> => {
      const { merchantSecret } = JSON.parse(await readText(request)) as Fields
      if (merchantSecret === secretOf()) answer(200, { accessToken: "sandbox-token" })
      else answer(401, { message: "secret" })
    }
    if (request.method === "POST") {
      const handled = path === "auth" ? login() : create()
      handled.catch(() => request.socket.destroy())
    } else {
      request.resume()
      const [, place = "", id = ""] = /^(.+)\/status\/(.+)$/u.exec(path) ?? []
      if (ids.get(id)?.startsWith(place) === true) answer(200, "SUCCEED")
      else answer(404, { error: "not found" })
    }
  })
  return {
    effects,
    figures,
    baseUrl: `http://127.0.0.1:${port}/api`,
    repair: () => {
      isLossy = false
    }
  }
})
