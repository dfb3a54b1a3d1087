/**
 * Decides whether a 401 to an operation causes a request for a new access token.
 *
 * **Details**
 *
 * A 401 to the current token drops it and causes one request to `/auth`, in three cases not:
 *
 * - The token was replaced meanwhile: the new one is used.
 * - The same operation was refused with a new token within the last `cooldown`: another token does not help
 *   it, and every other operation keeps the token.
 * - No operation has succeeded with the token, and an earlier 401 caused a request to `/auth` within the last
 *   `cooldown`. A service that refuses every token gets one request for a token in this time.
 *
 * After `/auth` refused the credentials, it is not asked again within `cooldown`.
 */
import type { Token } from "./AccessToken.ts"

/** The state of the renewals of one client. Times are nanoseconds of the monotonic clock. */
export interface Renewals {
  /** Records that an operation succeeded with a token. */
  readonly succeeded: (operation: string, token: Token) => void
  /** Records that an operation was refused with a new token. */
  readonly refused: (operation: string, now: bigint) => void
  /** Records that `/auth` refused the credentials. */
  readonly authRefused: (now: bigint) => void
  /** Tells whether `/auth` may be asked. */
  readonly mayAsk: (now: bigint) => boolean
  /**
   * Returns what to do after a 401 to `token`, while `cached` is the current token: `retry` with the current
   * token, `renew` it first, or `fail`.
   */
  readonly afterRefusal: (
    operation: string,
    token: Token,
    cached: Token | undefined,
    now: bigint
  ) => "retry" | "renew" | "fail"
}

/** Makes the state of a new client. */
export const make = (cooldown: bigint): Renewals => {
  const operationsEnd = new Map<string, bigint>()
  let confirmed: Token | undefined
  let renewalEnd = 0n
  let authEnd = 0n
  return {
    succeeded: (operation, token) => {
      confirmed = token
      if (operationsEnd.size > 0) operationsEnd.delete(operation)
    },
    refused: (operation, now) => {
      operationsEnd.set(operation, now + cooldown)
    },
    authRefused: (now) => {
      authEnd = now + cooldown
    },
    mayAsk: (now) => now >= authEnd,
    afterRefusal: (operation, token, cached, now) => {
      if (cached !== token) return "retry"
      if (now < (operationsEnd.get(operation) ?? 0n)) return "fail"
      if (token !== confirmed && now < renewalEnd) return "fail"
      renewalEnd = now + cooldown
      return "renew"
    }
  }
}
