/**
 * The page on which a customer approves an APM payment or payout: a wallet, a bank, or a QR code.
 */
import { encodeQR } from "qr"
import {
  type ApmTransaction,
  isUndecided,
  methodKind
} from "@pawl/testkit/internal/gateway/MethodPage"
import { methodPath } from "@pawl/testkit/internal/gateway/PageUrls"
import { facts, over } from "./ChallengePage.ts"
import { type Html, html } from "./Html.ts"
import { icon, type Page, type Viewer } from "./PageLayout.ts"
import { translations } from "./Translations.ts"

/** A `query` with `app` is the page that the QR code leads to. */
export const make = (
  { apmResponseData: { qrData, qrDeepLink }, transaction }: ApmTransaction,
  query: string,
  viewer: Viewer
): Page => {
  const text = translations[viewer.language]
  const { isApproved, returnUrls = {}, transactionId } = transaction
  const kind = methodKind(transaction)
  const asks = isUndecided(transaction)
  const scans = asks && qrData !== undefined && !query.startsWith("?app=")
  const isPending = !asks && isApproved === true && transaction.status === "PROCESSING"
  const post = (buttons: Html) =>
    html`<form method="post" action="${methodPath(transactionId, query)}">${buttons}</form>`
  const cancel = html`<button class="link" name="act" value="cancel" data-testid="method-cancel">
    ${text.giveUp}
  </button>`
  const details = facts(transaction, viewer, [text.method, "method", transaction.apmType])
  const content = scans
    ? html`<h1>${text.scan}</h1>
        <p>${text.scanMore}</p>
        ${details}${code(qrData, text.QR_CODE)}
        <a class="button quiet" href="${qrDeepLink}" data-testid="deep-link">${text.openApp}</a>
        ${post(cancel)}`
    : asks
      ? html`<h1>${text.methodTitle}</h1>
          <p>${text.methodMore}</p>
          ${details}
          ${post(
            html`<button name="act" value="approve" data-testid="method-approve">
                ${text.approve}
              </button>
              <button class="quiet" name="act" value="decline" data-testid="method-decline">
                ${text.decline}
              </button>
              ${cancel}`
          )}`
      : isPending
        ? html`<div class="result" role="status">
            <span class="mark wait">${icon("wait", 26)}</span>
            <h1>${text.underway}</h1>
            <p>${kind === "BANK_TRANSFER" ? text.atBank : text.underwayMore}</p>
            ${
              returnUrls.success !== undefined &&
              html`<a
                class="button quiet"
                href="${returnUrls.success}"
                target="_top"
                data-testid="return"
                >${text.return}</a
              >`
            }
          </div>`
        : over(transaction, viewer)
  const state = scans ? "scan" : asks ? "ask" : isPending ? "pending" : "over"
  return {
    status: 200,
    title: scans ? text.scan : text[kind],
    isAlone: true,
    ...(scans || isPending ? { refresh: 2 } : {}),
    body: html`<div class="side" data-testid="${`method-${state}`}">
      <p class="bank">
        <span>${text[kind]}</span>${icon(kind === "BANK_TRANSFER" ? "bank" : "wallet", 26)}
      </p>
      ${content}
    </div>`
  }
}

/** Draws a QR code, with one path for all its dark modules. */
const code = (text: string, name: string): Html => {
  const rows = encodeQR(text, "raw", { border: 4 })
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
  return html`<svg
    class="qr"
    viewBox="0 0 ${rows.length} ${rows.length}"
    role="img"
    aria-label="${name}"
  >
    <path d="${path.join("")}" />
  </svg>`
}
