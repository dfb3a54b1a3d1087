/**
 * The next step of the customer, read from the response to a create.
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
 * The next step of the customer.
 *
 * - `Challenge`: the 3-D Secure challenge at `url`, or in an iframe of `iframeUrl`.
 * - `Redirect`: the full page at `url`. `iframeUrl`, if present, is the same page for an iframe.
 * - `Iframe`: the page at `url`, which works only in an iframe.
 * - `ShowQr`: a QR code with the content `data`; `deepLink` opens the app on the same device.
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

interface Addresses {
  readonly actionType?: Text
  readonly redirectUrl?: Text
  readonly iframeUrl?: Text
  readonly qrData?: Text
  readonly qrDeepLink?: Text
}

/**
 * The fields of a response that decide the next step.
 *
 * @category models
 * @since 0.1.0
 */
interface CreateResponse extends Addresses {
  readonly transactionStatus?: Text
  readonly challengeUrl?: Text
  readonly challengeUrlIframe?: Text
  readonly apmResponseData?: Addresses | null | undefined
}

/**
 * Returns the next step of the customer from the response to a create. Undefined when there is none or the
 * status is final.
 *
 * **Details**
 *
 * actionType REDIRECTION selects the page. Without it a QR code takes precedence.
 *
 * @category getters
 * @since 0.1.0
 */
export const of = (response: CreateResponse): NextAction | undefined => {
  const { challengeUrl, challengeUrlIframe, transactionStatus } = response
  if (isStatus(transactionStatus) && isTerminal(transactionStatus)) return undefined
  if (transactionStatus === "CUSTOMER_VERIFICATION") {
    const challenge = page("Challenge", challengeUrl, challengeUrlIframe)
    if (challenge !== undefined) return challenge
  }
  const { actionType, iframeUrl, qrData, qrDeepLink, redirectUrl } =
    response.apmResponseData ?? response
  return qrData && !(actionType === "REDIRECTION" && redirectUrl)
    ? { _tag: "ShowQr", data: qrData, ...(qrDeepLink && { deepLink: qrDeepLink }) }
    : page("Redirect", redirectUrl || qrDeepLink, iframeUrl)
}

const page = (
  _tag: "Challenge" | "Redirect",
  url: Text,
  iframeUrl: Text
): NextAction | undefined => {
  if (url) return { _tag, url, ...(iframeUrl && { iframeUrl }) }
  return iframeUrl ? { _tag: "Iframe", url: iframeUrl } : undefined
}
