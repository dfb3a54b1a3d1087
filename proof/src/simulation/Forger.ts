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
  const { body, search } = original
  const otherStatus = { body: withStatus(body, status) }
  const changes: Readonly<Record<Forgery["kind"], Partial<Incoming>>> = {
    status: otherStatus,
    token: { ...otherStatus, search: search.replace(/(?<=[?&])pawl=[^&]*&/u, "") },
    amount: { body: replace(body, /mount":"/u, 'mount":"9') },
    checksum: { checksum: undefined },
    query: { search: `${search}&paymentMethod=card` }
  }
  const isVerifiable = kind === "status" || kind === "token"
  return { isVerifiable, incoming: { ...original, ...changes[kind] } }
}

const withStatus = (body: Uint8Array, status: string): Uint8Array =>
  replace(body, /"transactionStatus":"[A-Z_]*"/u, `"transactionStatus":"${status}"`)

const replace = (body: Uint8Array, pattern: RegExp, by: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(body).replace(pattern, by))
