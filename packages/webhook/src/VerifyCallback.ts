/**
 * Verifies a callback: checks that a request is a callback of the service, and reads it.
 *
 * **Details**
 *
 * `verifyWith` is a plain function, for servers with a store of their own. It needs no Effect runtime and adds
 * 3.5 kB to a bundle. `Verifier` is the same check as a service.
 *
 * The checks run in this order, and the first that fails decides the response: HTTP method, size,
 * content encoding, content type, JSON (UTF-8, depth, duplicate keys), payment method, signed fields, checksum,
 * kind and account. No check reads a store, and no check throws.
 *
 * The checksum is computed over the fields as they were sent and compared with the header as text. The
 * current secret is tried first, then the previous one.
 *
 * The token in the query, if there is one, is decoded after the checksum is verified. It names the operation of
 * the URL, and therefore the row that the callback belongs to. A callback is refused if its method or account
 * differs from that of its token.
 *
 * A callback with a valid checksum but with an unknown status, or with an amount, currency or identifier
 * outside the grammar, is not refused, because the service would drop it after six attempts. Its `quarantine` field
 * names the problem.
 *
 * **Example** (On Node; on other runtimes, sign with `Hmac.keyed`)
 *
 * ```ts
 * import { verifyWith } from "@pawl/webhook/VerifyCallback"
 * import { createHmac } from "node:crypto"
 *
 * const verify = verifyWith({
 *   current: (text) => createHmac("sha256", "merchant-secret").update(text).digest()
 * })
 * const result = verify({
 *   method: "GET",
 *   search: "?paymentMethod=card",
 *   contentType: "application/json",
 *   contentEncoding: undefined,
 *   checksum: undefined,
 *   body: new Uint8Array()
 * })
 * "reason" in result ? result.status : result.claim // => 405
 * ```
 *
 * @since 0.1.0
 */
import type { Body, Signed } from "@pawl/core/Callback"
import type { RefusedCallback } from "@pawl/core/CallbackError"
import * as Checksum from "@pawl/core/Checksum"
import type { Switches } from "@pawl/core/Profile"
import { isStatus, type Status } from "@pawl/core/Status"
import { type Kind, type Method, methodOf } from "@pawl/core/Kind"
import type * as Brand from "effect/Brand"
import * as Reading from "./internal/verify/Reading.ts"
import * as Token from "./internal/verify/Token.ts"
import type { Ordered } from "./internal/rule/Row.ts"

/**
 * A request that may be a callback, not verified yet.
 *
 * - `path`: the path of its URL, if the door knows it. A segment such as `payouts` or `refunds` chooses the status endpoint that is
 *   read first.
 * - `search`: the query of its URL, with the `?`.
 * - `checksum`: the `X-Checksum` header.
 * - `body`: the bytes as received. A door may cut a longer body at `maxBytes + 1` bytes.
 *
 * @category models
 * @since 0.1.0
 */
export interface Incoming {
  readonly method: string
  readonly path?: string | undefined
  readonly search: string
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly checksum: string | undefined
  readonly body: Uint8Array
}

/**
 * A callback with a valid checksum. Only `verifyWith` makes one.
 *
 * - `kind`, `transactionId`: the key of its row. Without a token, the kind is the method. The id is signed.
 * - `refundId`: the refund that its body names, if refunds are signed with the id of their payment
 *   (`Profile.refundCallbackId`). It is not signed, so it names a row only if that refund is registered.
 * - `ordered`: the fields of the order in the token.
 * - `claim`: the status it claims, which the checksum does not cover; undefined in quarantine.
 * - `quarantine`: the field because of which the callback cannot be acted on, if there is one.
 * - `secret`: the secret that its checksum was made with.
 * - `path`: that of its URL, which is not signed.
 *
 * @category models
 * @since 0.1.0
 */
export type Verified = Brand.Branded<
  {
    readonly method: Method
    readonly kind: Kind
    readonly transactionId: string
    readonly refundId: string | undefined
    readonly ordered: Ordered | undefined
    readonly signed: Signed
    readonly claim: Status | undefined
    readonly quarantine: string | undefined
    readonly secret: "current" | "previous"
    readonly path: string | undefined
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
export const maxBytes: number = Reading.maxBytes

/**
 * The secrets and accounts that callbacks are verified with. `Secret` is a signing function for `verifyWith`, and
 * a redacted text for `Verifier.layer`.
 *
 * - `current`: the merchant secret. It must not be empty: anybody can sign with an empty secret.
 * - `previous`: the secret before it, which is accepted too while secrets are rotated.
 * - `accounts`: the only accounts (`mid` or `accountId`) whose callbacks are accepted; all if it is left out.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Secret> {
  readonly current: Secret
  readonly previous?: Secret | undefined
  readonly accounts?: ReadonlyArray<string> | undefined
}

/**
 * Makes the function that verifies callbacks. `profile` has switches of `Profile`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const verifyWith = (
  { accounts, current, previous }: Options<Checksum.Sign>,
  profile: Partial<Pick<Switches, "callbackContentType" | "refundCallbackId">> = {}
): ((incoming: Incoming) => Verified | RefusedCallback) => {
  const { refundCallbackId = "refund" } = profile
  // A forged callback costs the same work while secrets are rotated and at other times.
  const secrets = [
    { name: "current", sign: current },
    { name: "previous", sign: previous ?? current }
  ] as const
  const accepted = accounts && new Set(accounts)

  const tokenOf = (text: string | undefined): Token.Token | undefined => {
    if (text === undefined) return undefined
    for (const { sign } of secrets) {
      const token = Token.decode(sign, text)
      if (token !== undefined) return token
    }
    return undefined
  }

  /** Returns the refund that a body names. */
  const refundIdOf = (kind: Kind, { refundId }: Body): string | undefined => {
    const isRefund = refundCallbackId === "payment" && (kind === "card" || kind === "refund")
    const isText = typeof refundId === "string" || typeof refundId === "number"
    return isRefund && isText && Reading.isIdentifier(String(refundId))
      ? String(refundId)
      : undefined
  }

  return (incoming) => {
    const reading = Reading.read(incoming, profile)
    if ("reason" in reading) return reading
    const { draft, method, signed } = reading
    const checksum = incoming.checksum ?? ""
    const secret = secrets.find(({ sign }) =>
      Checksum.matches(Checksum.callback(sign, signed), checksum)
    )
    if (secret === undefined || !checksum) return Reading.refuse(401, "the checksum does not match")

    const token = tokenOf(reading.token)
    const kind = token === undefined ? method : Token.kindOf(token.operation, method)
    if (methodOf(kind) !== method) return Reading.refuse(400, "its URL was made for another kind")
    const account = token?.ordered.account
    if (account !== undefined && account !== signed.account) {
      return Reading.refuse(400, "its URL was made for another account")
    }
    if (accepted?.has(signed.account) === false) {
      return Reading.refuse(400, "the account is not one of the merchant's")
    }

    // Only now, because the sender of costly numbers must have a checksum.
    const body = draft.exact() as Body
    const quarantine = Reading.quarantineOf(signed, body, incoming.body)
    const status = body["transactionStatus"]
    // Signed with the id of the payment, a callback without a registered refund is about the payment.
    const isOfPayment = kind === "refund" && refundCallbackId === "payment"
    return {
      method,
      kind: isOfPayment ? method : kind,
      transactionId: signed.transactionId,
      refundId: refundIdOf(kind, body),
      ordered: isOfPayment ? undefined : token?.ordered,
      signed,
      claim: quarantine === undefined && isStatus(status) ? status : undefined,
      quarantine,
      secret: secret.name,
      path: incoming.path,
      body,
      bytes: incoming.body
    } as Verified
  }
}
