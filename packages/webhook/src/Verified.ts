/**
 * Decides whether a request is a callback of the service: `Incoming` → `Verified`, or a refusal.
 *
 * **Details**
 *
 * It is a plain function, and brings nothing of Effect into a bundle but an encoder of base64; `Verifier`
 * is the service of it.
 *
 * The order of the questions is part of the defence: method, size, type, encoding, depth, keys, JSON,
 * the kind of callback, the four signed fields, and then the checksum. Nothing else is asked before
 * it, and nothing costs an exception.
 *
 * Only then is the token read that a callback URL may carry. It names the operation, and with it the row
 * the callback belongs to; a callback of another kind or account than its URL was made for is refused.
 *
 * The checksum is taken over the fields as they were sent and compared with the header as text; the
 * current secret is tried first, then the previous one.
 *
 * What verifies but is not ours to understand (a status, amount or identifier outside our grammar)
 * is not refused: a genuine callback would be lost after six tries. It is marked `quarantine`.
 *
 * **Example** (On Node; elsewhere `PortableHmac.keyed` signs)
 *
 * ```ts
 * import { verifier } from "@pawl/webhook/Verified"
 * import { createHmac } from "node:crypto"
 *
 * const verify = verifier({
 *   current: (text) => createHmac("sha256", "merchant-secret").update(text).digest()
 * })
 * const answer = verify({
 *   method: "GET",
 *   search: "?paymentMethod=card",
 *   contentType: "application/json",
 *   contentEncoding: undefined,
 *   checksum: undefined,
 *   body: new Uint8Array()
 * })
 * "reason" in answer ? answer.status : answer.claim // => 405
 * ```
 *
 * @since 0.1.0
 */
import type { Body, Signed } from "@pawl/core/Callback"
import type { Refusal } from "@pawl/core/CallbackError"
import * as Checksum from "@pawl/core/Checksum"
import * as Json from "@pawl/core/Json"
import type { Switches } from "@pawl/core/Profile"
import { isStatus, type Status } from "@pawl/core/Status"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"
import type * as Brand from "effect/Brand"
import * as Layout from "./internal/verify/Layout.ts"
import * as Token from "./internal/verify/Token.ts"
import type { Ordered } from "./Row.ts"

/**
 * A request that claims to be a callback. `search` is the query of its URL, `body` its bytes, cut at
 * `maxBytes + 1`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Incoming {
  readonly method: string
  readonly search: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly checksum: string | undefined
  readonly body: Uint8Array
}

/**
 * A callback whose checksum holds. Only the verifier makes one.
 *
 * - `kind`, `transactionId`: what its row is found by. The kind is the method where the URL had no token.
 * - `ordered`: what the token of the URL says was ordered.
 * - `claim`: the status it claims, which the checksum does not cover; undefined in quarantine.
 * - `quarantine`: why it cannot be acted on, if it cannot.
 * - `secret`: which of the two secrets matched.
 *
 * @category models
 * @since 0.1.0
 */
export type Verified = Brand.Branded<
  {
    readonly method: Method
    readonly kind: Kind
    readonly transactionId: string
    readonly ordered: Ordered | undefined
    readonly signed: Signed
    readonly claim: Status | undefined
    readonly quarantine: string | undefined
    readonly secret: "current" | "previous"
    readonly body: Body
    readonly bytes: Uint8Array
  },
  "@pawl/webhook/Verified"
>

/**
 * The most bytes a callback may have: 64 KiB.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxBytes = 64 * 1024

/**
 * What callbacks are verified with.
 *
 * - `current`, `previous`: sign a text with HMAC-SHA256 under a merchant secret; while a secret is rotated,
 *   the previous one still counts. A secret that is empty is everybody's.
 * - `accounts`: where it is given, callbacks of any other account (`mid` or `accountId`) are refused.
 * - `refundCallbackId`: the switch of `Profile`; `refund` unless given.
 *
 * @category models
 * @since 0.1.0
 */
export interface Rules extends Partial<Pick<Switches, "refundCallbackId">> {
  readonly current: Checksum.Sign
  readonly previous?: Checksum.Sign | undefined
  readonly accounts?: ReadonlyArray<string> | undefined
}

/**
 * Makes the function that verifies callbacks.
 *
 * @category constructors
 * @since 0.1.0
 */
export const verifier = (rules: Rules): ((incoming: Incoming) => Verified | Refusal) => {
  const { accounts, current, previous, refundCallbackId } = rules
  const keyed = [
    { name: "current" as const, sign: current },
    ...(previous === undefined ? [] : [{ name: "previous" as const, sign: previous }])
  ]
  const ours = accounts && new Set(accounts)

  const tokenOf = (text: string | undefined): Token.Token | undefined => {
    if (text === undefined) return undefined
    for (const { sign } of keyed) {
      const token = Token.decode(sign, text)
      if (token !== undefined) return token
    }
    return undefined
  }

  const verify = (incoming: Incoming): Verified | Refusal => {
    if (incoming.method !== "POST") return refuse(405, "the method is not POST")
    if (incoming.body.length > maxBytes) return refuse(413, "the body is larger than 64 KiB")
    if (incoming.contentEncoding !== undefined && incoming.contentEncoding !== "identity") {
      return refuse(415, "the body is encoded")
    }
    if (!jsonType.test(incoming.contentType ?? "")) return refuse(415, "the type is not JSON")

    const read = Json.readBytes(incoming.body)
    if ("fault" in read) return refuse(400, `the body is not sound JSON: ${read.fault}`)
    const body = read.json
    if (!Layout.isBody(body)) return refuse(400, "the body is not a JSON object")
    const routed = Layout.route(incoming.search, body)
    if ("reason" in routed) return routed
    const { method } = routed
    const signed = Layout.signedOf(method, body)
    if (!("account" in signed)) return signed

    const given = incoming.checksum ?? ""
    const match = keyed.find(({ sign }) => Checksum.matches(Checksum.callback(sign, signed), given))
    if (match === undefined || !given) return refuse(401, "the checksum does not match")

    const token = tokenOf(routed.token)
    const kind = token === undefined ? method : Token.kindOf(token.origin, method)
    if (methodOf(kind) !== method) return refuse(400, "its URL was made for another kind")
    const account = token?.ordered.account
    if (account !== undefined && account !== signed.account) {
      return refuse(400, "its URL was made for another account")
    }
    if (ours?.has(signed.account) === false) return refuse(400, "the account is not one of ours")

    const quarantine = Layout.strangeness(signed, body, incoming.body)
    const status = body["transactionStatus"]
    return {
      method,
      ...rowOf(kind, signed, body),
      ordered: token?.ordered,
      signed,
      claim: quarantine === undefined && isStatus(status) ? status : undefined,
      quarantine,
      secret: match.name,
      body,
      bytes: incoming.body
    } as Verified
  }

  /** A refund's own id, where its callback says it, is its refundId. */
  const rowOf = (kind: Kind, signed: Signed, body: Body) => {
    const { refundId } = body
    const isRefund = kind === "refund" || (kind === "card" && refundCallbackId === "payment")
    return isRefund &&
      (typeof refundId === "string" || typeof refundId === "number") &&
      Layout.isIdentifier(String(refundId))
      ? { kind: "refund" as const, transactionId: String(refundId) }
      : { kind, transactionId: signed.transactionId }
  }

  return verify
}

const refuse = (status: Refusal["status"], reason: string): Refusal => ({ status, reason })

const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i
