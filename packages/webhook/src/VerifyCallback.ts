/**
 * Verifies a callback: checks that a request comes from the service, and reads it.
 *
 * `verifyWith` is a plain function without the Effect runtime, 4.2 kB in a bundle. `Verifier` is
 * the same check as a service.
 *
 * **Details**
 *
 * The first check that fails decides the response: HTTP method, size, content encoding, content
 * type, JSON (UTF-8, depth, duplicate keys), payment method, signed fields, checksum, kind and
 * account. No check reads a store or throws. The current secret is tried before the previous one.
 *
 * A callback with a valid checksum is refused if its method or account is not that of the token in
 * its query.
 *
 * A refusal says `isGenuine` if the checksum is valid for the signed fields of the body, in either
 * layout.
 *
 * It is never refused for an unknown status, or for an amount, currency or identifier outside the
 * grammar, because the service would drop it after six attempts. Its `quarantine` names the field.
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
 * A request that is not verified yet.
 *
 * @category models
 * @since 0.1.0
 */
export interface Incoming {
  /** The HTTP method. */
  readonly method: string
  /**
   * The path of its URL. A segment such as `payouts` or `refunds` chooses the status endpoint that
   * is read first.
   */
  readonly path?: string | undefined
  /** The query of its URL, with the `?`. */
  readonly search: string
  /** The `Content-Type` header. */
  readonly contentType: string | undefined
  /** The `Content-Encoding` header. */
  readonly contentEncoding: string | undefined
  /** The `X-Checksum` header. */
  readonly checksum: string | undefined
  /** The bytes as received. A longer body may be cut at `maxBytes + 1` bytes. */
  readonly body: Uint8Array
}

/**
 * A callback with a valid checksum. Only `verifyWith` makes one.
 *
 * @category models
 * @since 0.1.0
 */
export type Verified = Brand.Branded<
  {
    readonly method: Method
    /** The kind of its row: that of the token, else the method. */
    readonly kind: Kind
    /** The signed id. */
    readonly transactionId: string
    /**
     * The refund that the body names, if refunds are signed with the id of their payment
     * (`Profile.refundCallbackId`). It is not signed, so it names a row only if that refund is
     * registered.
     */
    readonly refundId: string | undefined
    /** The fields of the order in the token. */
    readonly ordered: Ordered | undefined
    readonly signed: Signed
    /** The claimed status, which the checksum does not cover; undefined in quarantine. */
    readonly claim: Status | undefined
    /** The field because of which the callback cannot be acted on. */
    readonly quarantine: string | undefined
    /** The secret that its checksum was made with. */
    readonly secret: "current" | "previous"
    /** The path of its URL, which is not signed. */
    readonly path: string | undefined
    readonly body: Body
    readonly bytes: Uint8Array
  },
  "@pawl/webhook/Verified"
>

/**
 * The size limit of a callback in bytes: 64 KiB.
 *
 * @category constants
 * @since 0.1.0
 */
export const maxBytes: number = Reading.maxBytes

/**
 * The secrets and accounts that callbacks are verified with. `Secret` is a signing function for
 * `verifyWith` and a redacted text for `Verifier.layer`.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options<Secret> {
  /** The merchant secret. Anybody can sign with an empty one. */
  readonly current: Secret
  /** The secret before it, accepted while secrets are rotated. */
  readonly previous?: Secret | undefined
  /** The accounts (`mid` or `accountId`) whose callbacks are accepted; all by default. */
  readonly accounts?: ReadonlyArray<string> | undefined
}

/**
 * Makes the function that verifies callbacks. `profile` overrides switches of `Profile`.
 *
 * @category constructors
 * @since 0.1.0
 */
export const verifyWith = (
  { accounts, current, previous }: Options<Checksum.Sign>,
  profile: Partial<Pick<Switches, "callbackContentType" | "refundCallbackId">> = {}
): ((incoming: Incoming) => Verified | RefusedCallback) => {
  const { refundCallbackId = "refund" } = profile
  // A forged callback costs the same work with and without a previous secret.
  const secrets = [
    { name: "current", sign: current },
    { name: "previous", sign: previous ?? current }
  ] as const
  const accepted = accounts && new Set(accounts)

  const tokenOf = ({ method, token }: Reading.Reading): Token.Token | undefined =>
    token ? secrets.map(({ sign }) => Token.decode(sign, token, method)).find(Boolean) : undefined

  const refundIdOf = (kind: Kind, { refundId }: Body): string | undefined => {
    const isRefund = refundCallbackId === "payment" && (kind === "card" || kind === "refund")
    const isText = typeof refundId === "string" || typeof refundId === "number"
    return isRefund && isText && Reading.isIdentifier(String(refundId))
      ? String(refundId)
      : undefined
  }

  return (incoming) => {
    const reading = Reading.read(incoming, profile)
    const checksum = incoming.checksum ?? ""
    const secretOf = (signed: Signed) =>
      secrets.find(({ sign }) => Checksum.matches(Checksum.callback(sign, signed), checksum))
    if ("reason" in reading) {
      const { candidates = [], reason, status } = reading
      return candidates.some(secretOf) ? refuseGenuine(reason, status) : { status, reason }
    }
    const { draft, method, signed } = reading
    const secret = secretOf(signed)
    if (secret === undefined || !checksum) return Reading.refuse(401, "the checksum does not match")

    const token = tokenOf(reading)
    const kind = token === undefined ? method : Token.kindOf(token.operation, method)
    if (methodOf(kind) !== method) return refuseGenuine("its URL was made for another kind")
    if ((token?.ordered.account ?? signed.account) !== signed.account) {
      return refuseGenuine("its URL was made for another account")
    }
    if (accepted?.has(signed.account) === false) {
      return refuseGenuine("the account is not one of the merchant's")
    }

    const body = draft.exact() as Body
    const quarantine = Reading.quarantineOf(signed, body, incoming.body)
    const status = body["transactionStatus"]
    // Such a callback is about the payment, unless its refund is registered.
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

const refuseGenuine = (
  reason: string,
  status: RefusedCallback["status"] = 400
): RefusedCallback => ({ status, reason, isGenuine: true })
