/**
 * Where to send the customer next, read from the answer to a create.
 *
 * **Example** (Sending the customer on)
 *
 * ```ts
 * import * as NextAction from "@pawl/core/NextAction"
 *
 * const payment = {
 *   transactionStatus: "CUSTOMER_VERIFICATION",
 *   challengeUrl: "https://bank.example/3ds/7"
 * }
 *
 * NextAction.of(payment) // => { _tag: "Challenge", url: "https://bank.example/3ds/7" }
 * NextAction.of({ transactionStatus: "SUCCEED" }) // => undefined
 * ```
 *
 * @since 0.1.0
 */
import { isStatus, isTerminal } from "./Status.ts"

/**
 * What the customer has to do.
 *
 * - `Challenge`: pass 3-D Secure at `url`, or in a frame of `iframeUrl`.
 * - `Redirect`: go on at `url`, a full page; `iframeUrl` is the same to embed, where there is one.
 * - `Iframe`: go on at `url`, which is for a frame only.
 * - `ShowQr`: scan the code of `data`, or follow `deepLink` on the same device.
 *
 * @category models
 * @since 0.1.0
 */
export type NextAction =
  | { readonly _tag: "Challenge"; readonly url: string; readonly iframeUrl?: string }
  | { readonly _tag: "Redirect"; readonly url: string; readonly iframeUrl?: string }
  | { readonly _tag: "Iframe"; readonly url: string }
  | { readonly _tag: "ShowQr"; readonly data: string; readonly deepLink?: string }

type Text = string | null | undefined

/** Ways on, as an APM answers them, or an intent. */
interface Ways {
  readonly actionType?: Text
  readonly redirectUrl?: Text
  readonly iframeUrl?: Text
  readonly qrData?: Text
  readonly qrDeepLink?: Text
}

/**
 * What of an answer says where the customer goes on.
 *
 * @category models
 * @since 0.1.0
 */
export interface Answer extends Ways {
  readonly transactionStatus?: Text
  readonly challengeUrl?: Text
  readonly challengeUrlIframe?: Text
  readonly apmResponseData?: Ways | null | undefined
}

/**
 * Returns what the customer has to do next: of a payment, a payout, a subscription or an intent just
 * created. Undefined when there is nothing, or the transaction has ended.
 *
 * **Details**
 *
 * Which of several ways a method means is not documented, but for the actionType REDIRECTION. Without
 * it a QR code comes before a page.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (answer: Answer): NextAction | undefined => {
  const { challengeUrl, challengeUrlIframe, transactionStatus } = answer
  if (isStatus(transactionStatus) && isTerminal(transactionStatus)) return undefined
  if (transactionStatus === "CUSTOMER_VERIFICATION") {
    const challenge = page("Challenge", challengeUrl, challengeUrlIframe)
    if (challenge !== undefined) return challenge
  }
  const { actionType, iframeUrl, qrData, qrDeepLink, redirectUrl } =
    answer.apmResponseData ?? answer
  return qrData && !(actionType === "REDIRECTION" && redirectUrl)
    ? { _tag: "ShowQr", data: qrData, ...(qrDeepLink && { deepLink: qrDeepLink }) }
    : page("Redirect", redirectUrl || qrDeepLink, iframeUrl)
}

/** What there is only for a frame is an `Iframe`. */
const page = (
  _tag: "Challenge" | "Redirect",
  url: Text,
  iframeUrl: Text
): NextAction | undefined => {
  if (url) return { _tag, url, ...(iframeUrl && { iframeUrl }) }
  return iframeUrl ? { _tag: "Iframe", url: iframeUrl } : undefined
}
