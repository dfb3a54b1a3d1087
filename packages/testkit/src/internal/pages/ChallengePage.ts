/**
 * The page on which a customer confirms a payment to the bank, as in 3-D Secure.
 */
import type { Transaction } from "../gateway/Transactions.ts"
import { type Html, html } from "./Html.ts"
import { icon, money, type Page, type Viewer } from "./PageLayout.ts"
import { challengePath } from "../gateway/PageUrls.ts"
import { translations } from "./Translations.ts"

/** Writes the challenge of a transaction, or its result. */
export const make = (transaction: Transaction, viewer: Viewer): Page => {
  const text = translations[viewer.language]
  const { returnUrls = {}, status } = transaction
  const isWaiting = status === "CUSTOMER_VERIFICATION"
  return {
    status: 200,
    title: text.challengeTitle,
    isAlone: true,
    returnUrls: [returnUrls.success, returnUrls.failure],
    body: html`<div class="side" data-testid="${isWaiting ? "challenge" : "challenge-over"}">
      <p class="bank"><span>3-D Secure</span>${icon("shield", 26)}</p>
      ${isWaiting ? ask(transaction, viewer) : over(transaction, viewer)}
    </div>`
  }
}

const ask = (transaction: Transaction, { isFrame, language }: Viewer): Html => {
  const text = translations[language]
  const { amount, cardMask, currency, order, transactionId } = transaction
  const merchant = order?.domainName || order?.siteId
  return html`<h1>${text.challengeTitle}</h1>
    <p>${text.challengeMore}</p>
    <dl class="facts">
      ${
        merchant &&
        html`<div>
          <dt>${text.merchant}</dt>
          <dd><bdi>${merchant}</bdi></dd>
        </div>`
      }
      <div>
        <dt>${text.total}</dt>
        <dd data-testid="amount">${money(amount, currency, language)}</dd>
      </div>
      ${
        cardMask &&
        html`<div>
          <dt>${text.card}</dt>
          <dd data-testid="card-mask">•••• ${cardMask.slice(-4)}</dd>
        </div>`
      }
    </dl>
    <form method="post" action="${challengePath(transactionId, isFrame)}">
      <button name="act" value="approve" data-testid="challenge-approve">${text.approve}</button>
      <button class="quiet" name="act" value="decline" data-testid="challenge-decline">
        ${text.decline}
      </button>
    </form>`
}

const over = ({ returnUrls = {}, status }: Transaction, { language }: Viewer): Html => {
  const text = translations[language]
  const isGood = status !== "FAILED" && status !== "CANCELLED"
  const url = isGood ? returnUrls.success : returnUrls.failure
  return html`<div class="result" role="status">
    <span class="mark ${isGood ? "good" : "bad"}">${icon(isGood ? "tick" : "cross", 26)}</span>
    <h1>${isGood ? text.approved : text.refused}</h1>
    <p>${isGood ? text.approvedMore : text.refusedMore}</p>
    ${url !== undefined && html`<a class="button" href="${url}" target="_top" data-testid="return">${text.return}</a>`}
  </div>`
}
