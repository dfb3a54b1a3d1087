import type { ReturnUrls, Transaction } from "./Transaction.ts"

/**
 * The addresses in responses: of an intent, and of a challenge (`spec.md`, "Transaction statuses").
 */
export interface PageUrls {
  readonly ofIntent: (intentId: string) => {
    readonly redirectUrl: string
    readonly iframeUrl: string
  }
  readonly ofChallenge: (
    transaction: Transaction
  ) => { readonly challengeUrl: string; readonly challengeUrlIframe: string } | undefined
}

export const make = (pageUrl: string): PageUrls => ({
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

export const payPath = (intentId: string, isFrame: boolean): string =>
  `/pay/${intentId}${isFrame ? "?frame=1" : ""}`

export const challengePath = (transactionId: string, isFrame: boolean): string =>
  `/challenge/${transactionId}${isFrame ? "?frame=1" : ""}`

export const methodPath = (transactionId: string, query: string): string =>
  `/apm/${transactionId}${query}`

export const returnUrlsOf = (request: {
  readonly successRedirectUrl?: string | undefined
  readonly failureRedirectUrl?: string | undefined
}): ReturnUrls => ({ success: request.successRedirectUrl, failure: request.failureRedirectUrl })
