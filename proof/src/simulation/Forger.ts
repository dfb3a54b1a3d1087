/** An attacker who posts changed copies of callbacks, whose statuses must have no effect. */
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import type { Callbacks, Post } from "./Network.ts"
import type { Forgery } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

export const forge = (forgery: Forgery, { deliver, recent }: Callbacks, trace: Trace) =>
  Effect.suspend(() => {
    const original = recent[forgery.postsAgo % Math.max(1, recent.length)]
    if (original === undefined) return Effect.void
    trace.mark(`forged: ${forgery.kind}`)
    return Effect.asVoid(deliver(forged(forgery, original)))
  })

const forged = ({ kind, status }: Forgery, original: Incoming): Post => {
  switch (kind) {
    case "status":
      return {
        isVerifiable: true,
        incoming: { ...original, body: withStatus(original.body, status) }
      }
    case "token": {
      const search = original.search.replace(/(?<=[?&])pawl=[^&]*&/u, "")
      const body = withStatus(original.body, status)
      return { isVerifiable: true, incoming: { ...original, search, body } }
    }
    case "amount":
      return {
        isVerifiable: false,
        incoming: { ...original, body: replace(original.body, /mount":"/u, 'mount":"9') }
      }
    case "checksum":
      return { isVerifiable: false, incoming: { ...original, checksum: undefined } }
    case "query":
      return {
        isVerifiable: false,
        incoming: { ...original, search: `${original.search}&paymentMethod=card` }
      }
  }
}

const withStatus = (body: Uint8Array, status: string): Uint8Array =>
  replace(body, /"transactionStatus":"[A-Z_]*"/u, `"transactionStatus":"${status}"`)

const replace = (body: Uint8Array, pattern: RegExp, by: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(body).replace(pattern, by))
