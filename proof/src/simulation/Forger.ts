/**
 * Someone who sees what the service posts, and posts too.
 *
 * **Details**
 *
 * The checksum of a callback covers neither its status nor its URL, so some of these posts are answered 200; what they
 * claim is to come to nothing.
 *
 * @since 0.1.0
 */
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import type { Callbacks, Post } from "./Network.ts"
import type { Forgery } from "./Plan.ts"
import type { Trace } from "./Trace.ts"

/**
 * Posts a forgery of something that was seen, if anything was.
 *
 * @category combinators
 * @since 0.1.0
 */
export const forge = (forgery: Forgery, { arrive, seen }: Callbacks, trace: Trace) =>
  Effect.suspend(() => {
    const taken = seen[forgery.back % Math.max(1, seen.length)]
    if (taken === undefined) return Effect.void
    trace.mark(`forged: ${forgery.what}`)
    return Effect.asVoid(arrive(forged(forgery, taken)))
  })

const forged = ({ status, what }: Forgery, taken: Incoming): Post => {
  switch (what) {
    case "status":
      return { isSound: true, incoming: { ...taken, body: claim(taken.body, status) } }
    case "token": {
      const search = taken.search.replace(/(?<=[?&])pawl=[^&]*&/u, "")
      return { isSound: true, incoming: { ...taken, search, body: claim(taken.body, status) } }
    }
    case "amount":
      return {
        isSound: false,
        incoming: { ...taken, body: edit(taken.body, /mount":"/u, 'mount":"9') }
      }
    case "checksum":
      return { isSound: false, incoming: { ...taken, checksum: undefined } }
    case "query":
      return {
        isSound: false,
        incoming: { ...taken, search: `${taken.search}&paymentMethod=card` }
      }
  }
}

const claim = (body: Uint8Array, status: string): Uint8Array =>
  edit(body, /"transactionStatus":"[A-Z_]*"/u, `"transactionStatus":"${status}"`)

const edit = (body: Uint8Array, found: RegExp, by: string): Uint8Array =>
  new TextEncoder().encode(new TextDecoder().decode(body).replace(found, by))
