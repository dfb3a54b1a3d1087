/**
 * The page on which a customer confirms a payment to the bank, which is what 3-D Secure comes to.
 */
import type { Transaction } from "../gateway/Book.ts"
import { type Html, html } from "./Html.ts"
import { icon, money, type Page, type Reader } from "./PageShell.ts"
import { challengePath } from "../gateway/Pages.ts"
import { words } from "./Words.ts"

/** Writes the challenge of a transaction, or what came of it. */
export const make = (transaction: Transaction, reader: Reader): Page => {
  const say = words[reader.language]
  const { returnUrls = {}, status } = transaction
  const isWaiting = status === "CUSTOMER_VERIFICATION"
  return {
    status: 200,
    title: say.challengeTitle,
    isAlone: true,
    back: [returnUrls.success, returnUrls.failure],
    body: html`<div class="side" data-testid="${isWaiting ? "challenge" : "challenge-over"}">
      <p class="bank"><span>3-D Secure</span>${icon("shield", 26)}</p>
      ${isWaiting ? ask(transaction, reader) : over(transaction, reader)}
    </div>`
  }
}

const ask = (transaction: Transaction, { isFrame, language }: Reader): Html => {
  const say = words[language]
  const { amount, cardMask, currency, order, transactionId } = transaction
  const merchant = order?.domainName || order?.siteId
  return html`<h1>${say.challengeTitle}</h1>
    <p>${say.challengeMore}</p>
    <dl class="facts">
      ${
        merchant &&
        html`<div>
          <dt>${say.merchant}</dt>
          <dd><bdi>${merchant}</bdi></dd>
        </div>`
      }
      <div>
        <dt>${say.total}</dt>
        <dd data-testid="amount">${money(amount, currency, language)}</dd>
      </div>
      ${
        cardMask &&
        html`<div>
          <dt>${say.card}</dt>
          <dd data-testid="card-mask">•••• ${cardMask.slice(-4)}</dd>
        </div>`
      }
    </dl>
    <form method="post" action="${challengePath(transactionId, isFrame)}">
      <button name="act" value="approve" data-testid="challenge-approve">${say.approve}</button>
      <button class="quiet" name="act" value="decline" data-testid="challenge-decline">
        ${say.decline}
      </button>
    </form>`
}

const over = ({ returnUrls = {}, status }: Transaction, { language }: Reader): Html => {
  const say = words[language]
  const isGood = status !== "FAILED" && status !== "CANCELLED"
  const url = isGood ? returnUrls.success : returnUrls.failure
  return html`<div class="result" role="status">
    <span class="mark ${isGood ? "good" : "bad"}">${icon(isGood ? "tick" : "cross", 26)}</span>
    <h1>${isGood ? say.approved : say.refused}</h1>
    <p>${isGood ? say.approvedMore : say.refusedMore}</p>
    ${url !== undefined && html`<a class="button" href="${url}" target="_top" data-testid="return">${say.return}</a>`}
  </div>`
}
