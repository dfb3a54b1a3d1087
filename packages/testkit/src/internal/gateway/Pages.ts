/**
 * Where the pages of the service are.
 */
import type { ReturnUrls, Transaction } from "./Book.ts"

/**
 * The addresses of pages, as answers carry them: of an intent, and of the challenge of a transaction
 * that waits for one (`spec.md`, "Transaction statuses").
 */
export interface Pages {
  readonly ofIntent: (intentId: string) => {
    readonly redirectUrl: string
    readonly iframeUrl: string
  }
  readonly ofChallenge: (
    transaction: Transaction
  ) => { readonly challengeUrl: string; readonly challengeUrlIframe: string } | undefined
}

/** Returns the addresses of the pages at an origin. */
export const make = (pageUrl: string): Pages => ({
  ofIntent: (intentId) => {
    const redirectUrl = `${pageUrl}${payPath(intentId, false)}`
    return { redirectUrl, iframeUrl: `${pageUrl}${payPath(intentId, true)}` }
  },
  ofChallenge: ({ status, transactionId }) => {
    if (status !== "CUSTOMER_VERIFICATION") return undefined
    const challengeUrl = `${pageUrl}${challengePath(transactionId, false)}`
    return { challengeUrl, challengeUrlIframe: `${pageUrl}${challengePath(transactionId, true)}` }
  }
})

/** Returns the path of an intent's page, whole or for a frame. */
export const payPath = (intentId: string, isFrame: boolean): string =>
  `/pay/${intentId}${isFrame ? "?frame=1" : ""}`

/** Returns the path of a transaction's challenge, whole or for a frame. */
export const challengePath = (transactionId: string, isFrame: boolean): string =>
  `/challenge/${transactionId}${isFrame ? "?frame=1" : ""}`

/** Returns where a page sends the customer from a challenge. */
export const returnUrlsOf = (request: {
  readonly successRedirectUrl?: string | undefined
  readonly failureRedirectUrl?: string | undefined
}): ReturnUrls => ({ success: request.successRedirectUrl, failure: request.failureRedirectUrl })
