/**
 * The next step of the customer of an APM payment or payout, by its payment method.
 *
 * The table of fields is in `docs/decisions/0066-customer-pages.md`.
 */
import { isTerminal } from "@pawl/core/Status"
import { methodPath } from "./PageUrls.ts"
import type { Transaction } from "./Transaction.ts"

export type MethodKind = "WALLET" | "BANK_TRANSFER" | "QR_CODE"

/** A name without a known word is a wallet. */
export const methodKind = ({ apmType = "" }: Transaction): MethodKind =>
  /qr/iu.test(apmType)
    ? "QR_CODE"
    : /bank|transfer|sepa/iu.test(apmType)
      ? "BANK_TRANSFER"
      : "WALLET"

/** The paces between the customer's approval and the payment. */
export const pacesToPay = { WALLET: 1, BANK_TRANSFER: 10, QR_CODE: 1 }

/**
 * A payout has a page of its method only with a return URL, and no transaction on the page of an
 * intent has one.
 */
export const hasPage = ({ accountId, intentId, kind, returnUrls }: Transaction): boolean =>
  accountId !== undefined &&
  intentId === undefined &&
  (kind === "apm-payment" || (returnUrls?.success ?? returnUrls?.failure) !== undefined)

export const isUndecided = ({ isApproved, status }: Transaction): boolean =>
  isApproved !== true && !isTerminal(status) && status !== "CUSTOMER_VERIFICATION"

export type ResponseData = ReturnType<typeof responseData>

export const responseData = (pageUrl: string) => (transaction: Transaction) => {
  const { apmPayload, apmType = "APM", transactionId } = transaction
  const kind = methodKind(transaction)
  const at = (query: string) => `${pageUrl}${methodPath(transactionId, query)}`
  return {
    providerTransactionId: `provider-${transactionId}`,
    paymentMethod: apmType,
    paymentType: apmPayload?.paymentType ?? kind,
    ...(hasPage(transaction) && {
      actionType: kind === "QR_CODE" ? kind : "REDIRECTION",
      redirectUrl: at(""),
      ...(kind !== "BANK_TRANSFER" && { iframeUrl: at("?frame=1") }),
      ...(kind === "QR_CODE" && { qrData: at("?app=qr"), qrDeepLink: at("?app=link") })
    })
  }
}

export interface ApmTransaction {
  readonly transaction: Transaction
  readonly apmResponseData: ReturnType<ResponseData>
}

export type Decision = "approve" | "decline" | "cancel"
