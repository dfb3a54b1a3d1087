/** The page on which a customer confirms a payment to the bank, as in 3-D Secure. */
import type { Transaction } from "@pawl/testkit/internal/gateway/Transaction"
import { type Html, html } from "./Html.ts"
import { icon, money, type Page, reason, type Viewer } from "./PageLayout.ts"
import { challengePath } from "@pawl/testkit/internal/gateway/PageUrls"
import { translations } from "./Translations.ts"

export const make = (transaction: Transaction, viewer: Viewer): Page => {
  const text = translations[viewer.language]
  const isWaiting = transaction.status === "CUSTOMER_VERIFICATION"
  return {
    status: 200,
    title: text.challengeTitle,
    isAlone: true,
    body: html`<div class="side" data-testid="${isWaiting ? "challenge" : "challenge-over"}">
      <p class="bank"><span>3-D Secure</span>${icon("shield", 26)}</p>
      ${isWaiting ? ask(transaction, viewer) : over(transaction, viewer)}
    </div>`
  }
}

const ask = (transaction: Transaction, viewer: Viewer): Html => {
  const text = translations[viewer.language]
  const { cardMask, transactionId } = transaction
  return html`<h1>${text.challengeTitle}</h1>
    <p>${text.challengeMore}</p>
    ${facts(transaction, viewer, [text.card, "card-mask", cardMask && `•••• ${cardMask.slice(-4)}`])}
    <form method="post" action="${challengePath(transactionId, viewer.isFrame)}">
      <button name="act" value="approve" data-testid="challenge-approve">${text.approve}</button>
      <button class="quiet" name="act" value="decline" data-testid="challenge-decline">
        ${text.decline}
      </button>
    </form>`
}

export const facts = (
  { accountId, amount, currency, kind, mid, order }: Transaction,
  { language }: Viewer,
  more: Fact
): Html => {
  const text = translations[language]
  const merchant = order?.domainName || order?.siteId || mid || accountId
  // A payout comes from the merchant.
  const label = kind.endsWith("-payout") ? text.payer : text.payee
  const all: ReadonlyArray<Fact> = [
    [label, "payee", merchant],
    [text.total, "amount", money(amount, currency, language)],
    more
  ]
  return html`<dl class="facts">
    ${all.map(
      ([label, testid, value]) =>
        value &&
        html`<div>
          <dt>${label}</dt>
          <dd data-testid="${testid}"><bdi>${value}</bdi></dd>
        </div>`
    )}
  </dl>`
}

type Fact = readonly [label: string, testid: string, value: string | undefined]

/** Writes the result of a decision, with a link to the merchant. */
export const over = (
  { declineCode, returnUrls = {}, status }: Transaction,
  { language }: Viewer
): Html => {
  const text = translations[language]
  const isGood = status !== "FAILED" && status !== "CANCELLED"
  const url = isGood ? returnUrls.success : returnUrls.failure
  return html`<div class="result" role="status">
    <span class="mark ${isGood ? "good" : "bad"}">${icon(isGood ? "tick" : "cross", 26)}</span>
    <h1>${isGood ? text.approved : text.refused}</h1>
    <p>${isGood ? text.approvedMore : (reason(declineCode, language) ?? text.refusedMore)}</p>
    ${url !== undefined && html`<a class="button" href="${url}" target="_top" data-testid="return">${text.return}</a>`}
  </div>`
}
