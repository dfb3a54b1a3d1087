/**
 * Measures parsing, verifying, deduplicating and reducing a callback of about 600 bytes, without a
 * socket; the same with JSON numbers, whose digits pawl keeps; and refusing a forged callback.
 *
 * The floor is `handWritten.ts`.
 */
import * as Evidence from "@pawl/core/Evidence"
import * as NodeHmac from "@pawl/core/NodeHmac"
import * as Verifier from "@pawl/webhook/Verifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import Stripe from "stripe"
import { Webhook } from "svix"
import { check, remember } from "./handWritten.ts"
import { type Callback, forged, make, search, secret, svixSecret } from "./callbacks.ts"
import { type Bench, measure, type Variant } from "./harness.ts"

export const verifier = Effect.runSync(
  Effect.provide(
    Verifier.Verifier,
    Layer.provide(Verifier.layer({ current: Redacted.make(secret) }), NodeHmac.layer)
  )
)
const stripe = new Stripe("sk_test_bench")
const svix = new Webhook(svixSecret)

export const incoming = ({ bytes, checksum }: Callback) => ({
  method: "POST",
  search,
  contentType: "application/json",
  contentEncoding: undefined,
  checksum,
  body: bytes
})

type Take = (callback: Callback) => boolean

const handWritten = (): Take => {
  const seen = new Map<string, unknown>()
  return (callback) => {
    const sound = check(incoming(callback))
    if (typeof sound === "number") return false
    remember(seen, sound)
    return true
  }
}

const pawl = (): Take => {
  const rows = new Map<string, { readonly evidence: number; readonly standing: unknown }>()
  return (callback) => {
    const verified = verifier.verify(incoming(callback))
    if (Result.isFailure(verified)) return false
    const { claim, kind, transactionId } = verified.success
    if (claim === undefined) return false
    const key = `${kind}/${transactionId}`
    const before = rows.get(key)?.evidence ?? Evidence.none
    const evidence = Evidence.join(before, Evidence.claimed(claim))
    if (evidence !== before) {
      rows.set(key, { evidence, standing: Evidence.standing(evidence, undefined) })
    }
    return true
  }
}

const peer = (verify: (callback: Callback) => unknown) => (): Take => {
  const seen = new Map<string, unknown>()
  return (callback) => {
    try {
      const body = verify(callback) as Readonly<Record<string, string>>
      return (
        remember(seen, {
          key: body["transactionId"]!,
          status: body["transactionStatus"]!,
          body
        }) || true
      )
    } catch {
      return false
    }
  }
}

const takers: Readonly<Record<string, () => Take>> = {
  "hand-written": handWritten,
  pawl,
  stripe: peer(({ bytes, stripe: header }) =>
    stripe.webhooks.constructEvent(bytes as Buffer, header, secret, 86_400)
  ),
  svix: peer(({ svix: headers, text }) => {
    svix.verify(text, headers)
    return JSON.parse(text)
  })
}

const variants = (
  callbacks: ReadonlyArray<Callback>,
  isAccepted: boolean
): ReadonlyArray<Variant> =>
  Object.entries(takers).map(([name, taker]) => ({
    name,
    check: () => {
      const take = taker()
      const [first, second] = callbacks
      for (const callback of [first!, second!, first!]) {
        if (take(callback) !== isAccepted)
          throw new Error(`${name} has a wrong result for a callback`)
      }
    },
    run: (times) => {
      const take = taker()
      for (let time = 0; time < times; time++) {
        if (take(callbacks[time % callbacks.length]!) !== isAccepted) throw new Error(name)
      }
    }
  }))

const count = 2000
const run = (callbackOf: (id: number) => Callback, isAccepted: boolean) => () =>
  measure(
    variants(
      Array.from({ length: count }, (_, id) => callbackOf(id)),
      isAccepted
    ),
    {
      synchronous: true
    }
  )

const goals: Bench["goals"] = [
  { variant: "pawl", against: "hand-written", atMost: 1.2 },
  { variant: "pawl", against: "stripe", atMost: 1 },
  { variant: "pawl", against: "svix", atMost: 1 / 1.7 }
]

export const verify: Bench = {
  what: "a callback parsed, verified, deduplicated and reduced",
  floor: "hand-written",
  goals,
  run: run((id) => make(id), true)
}

export const verifyNumbers: Bench = {
  what: "a callback with JSON numbers parsed, verified, deduplicated and reduced",
  floor: "hand-written",
  goals,
  run: run((id) => make(id, true), true)
}

export const refusal: Bench = {
  what: "a forged callback refused",
  floor: "hand-written",
  goals: [{ variant: "pawl", against: "hand-written", atMost: 1.1 }],
  run: run((id) => forged(make(id)), false)
}
