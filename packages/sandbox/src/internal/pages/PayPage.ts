/**
 * The page of an intent in each of its states.
 */
import * as Amount from "@pawl/core/Amount"
import { stories } from "@pawl/testkit/internal/gateway/Cards"
import { type Html, html } from "./Html.ts"
import { type Intent, isOpen } from "@pawl/testkit/internal/gateway/Intent"
import { grouped, icon, money, type Page, reason, type Viewer } from "./PageLayout.ts"
import { payPath } from "@pawl/testkit/internal/gateway/PageUrls"
import {
  type FormError,
  type Form,
  type Method,
  methods
} from "@pawl/testkit/internal/gateway/PayForm"
import type { Translation } from "./English.ts"
import { fillIn, translations } from "./Translations.ts"

export const make = (
  intent: Intent,
  viewer: Viewer,
  sent: Form = {},
  errors: ReadonlyArray<FormError> = []
): Page => {
  const text = translations[viewer.language]
  const title = intent.request.type === "PAYOUT" ? text.payoutTitle : text.payTitle
  const content = isOpen(intent.state)
    ? forms({ intent, viewer, text, sent, errors })
    : result(intent, viewer)
  return {
    status: errors.length > 0 ? 422 : intent.state === "expired" ? 410 : 200,
    title: errors.length > 0 ? `${text.problem} – ${title}` : title,
    ...(intent.state === "underway" ? { refresh: 2 } : {}),
    isAlone: viewer.isFrame,
    body: html`${!viewer.isFrame && summary(intent, viewer)}
      <div class="side" data-testid="${`state-${intent.state}`}">
        ${viewer.isFrame && heading(intent, viewer)}${content}
      </div>`
  }
}

interface View {
  readonly intent: Intent
  readonly viewer: Viewer
  readonly text: Translation
  readonly sent: Form
  readonly errors: ReadonlyArray<FormError>
}

/** A text of the merchant may have another direction than the page. */
const merchantText = (text: string): Html => html`<bdi>${text}</bdi>`

const heading = ({ amount, currency, request }: Intent, { language }: Viewer): Html => {
  const text = translations[language]
  const shown = amount === undefined ? currency : money(amount, currency, language)
  return html`<h1>
    ${request.type === "PAYOUT" ? text.payoutTitle : text.payTitle}
    <strong data-testid="amount">${shown}</strong>
  </h1>`
}

/** Writes the order, which is folded on a phone. */
const summary = (intent: Intent, viewer: Viewer): Html => {
  const text = translations[viewer.language]
  const { request } = intent
  const { domainName, orderId, siteId, title } = request.order
  const merchant = domainName || siteId || request.mid
  return html`<section class="summary">
    <p class="merchant">
      <span class="badge" aria-hidden="true">${Array.from(merchant)[0]}</span
      ><span data-testid="merchant">${merchantText(merchant)}</span>
    </p>
    ${heading(intent, viewer)}
    ${
      (title || orderId) &&
      html`<details class="order">
        <summary>${text.order}</summary>
        <dl>
          ${
            title &&
            html`<div>
              <dt>${text.order}</dt>
              <dd data-testid="order-title">${merchantText(title)}</dd>
            </div>`
          }
          ${
            orderId &&
            html`<div>
              <dt>${text.orderNumber}</dt>
              <dd data-testid="merchant-order">${merchantText(orderId)}</dd>
            </div>`
          }
        </dl>
      </details>`
    }
    <p class="safe">${icon("lock", 16)}${text.safe}</p>
  </section>`
}

const forms = (view: View): Html =>
  html`${problem(view)} ${view.intent.amount === undefined ? askAmount(view) : means(view)}
  ${form(view, html`<button class="link" name="act" value="cancel" data-testid="cancel">${view.text.cancel}</button>`)}`

/** Wallets and banks come first, because they need no typing. */
const means = (view: View): Html =>
  view.intent.request.type === "PAYOUT"
    ? html`${card(view)}${accounts(view)}`
    : html`${wallets(view)}${card(view)}`

/** The hidden `attempts` makes each form create one transaction at most. */
const form = ({ intent, viewer }: View, content: Html): Html =>
  html`<form method="post" action="${payPath(intent.intentId, viewer.isFrame)}" novalidate>
    <input type="hidden" name="attempts" value="${intent.attempts.length}" />
    ${content}
  </form>`

const problem = ({ errors, intent, viewer, text, sent }: View): Html => {
  const isPayout = intent.request.type === "PAYOUT"
  if (errors.length > 0) {
    return html`<div
      class="notice"
      role="alert"
      tabindex="-1"
      autofocus
      data-testid="error-summary"
    >
      <h2>${text.problem}</h2>
      <ul>
        ${errors.map(({ field, reason }) => html`<li><a href="#${idOf(field, sent)}">${wrong(reason, intent, viewer)}</a></li>`)}
      </ul>
    </div>`
  }
  if (intent.state !== "declined") return html``
  return html`<div class="notice" role="alert" tabindex="-1" autofocus data-testid="declined">
    <h2>${isPayout ? text.declinedPayout : text.declined}</h2>
    <p>
      ${reason(intent.declineCode, viewer.language)}
      ${isPayout ? text.declinedPayoutMore : text.declinedMore}
      ${intent.declineCode !== undefined && fillIn(text.code, { code: String(intent.declineCode) })}
    </p>
  </div>`
}

const wrong = (reason: FormError["reason"], { currency }: Intent, { language }: Viewer): string => {
  const decimals = Math.min(Amount.decimals(currency) ?? 2, 2)
  const digits = { minimumFractionDigits: decimals, useGrouping: false }
  const example = new Intl.NumberFormat(language, digits).format(decimals === 0 ? 1050 : 10.5)
  const list = new Intl.ListFormat(language, { type: "disjunction" })
  const cards = list.format(Object.keys(stories).map(grouped))
  return fillIn(translations[language].errors[reason], { cards, example })
}

const idOf = (field: string, sent: Form): string =>
  field === "account" ? `account-${sent["act"]}` : field

const field = (
  { errors, intent, viewer }: View,
  name: FormError["field"],
  label: string,
  attributes: Html,
  options: {
    readonly id?: string
    readonly hint?: string
    readonly value?: string | undefined
  } = {}
): Html => {
  const { hint, id = name, value } = options
  const error = errors.find((error) => error.field === name)
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ")
  return html`<div class="field">
    <span
      ><label for="${id}">${label}</label
      >${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}</span
    >
    <input
      id="${id}"
      name="${name}"
      required
      ${attributes}${value && html` value="${value}"`}${described !== "" && html` aria-describedby="${described}"`}${error && html` aria-invalid="true"`}
    />
    ${error && html`<p class="error" id="${id}-error">${wrong(error.reason, intent, viewer)}</p>`}
  </div>`
}

const action = ({ amount, currency, request }: Intent, { language }: Viewer): string => {
  const text = translations[language]
  const shown = money(amount ?? "0", currency, language)
  return fillIn(request.type === "PAYOUT" ? text.payout : text.pay, { amount: shown })
}

const card = (view: View): Html => {
  const { intent, viewer, text, sent } = view
  const isPayout = intent.request.type === "PAYOUT"
  const expiry = field(
    view,
    "expiry",
    text.expiry,
    html`inputmode="numeric" autocomplete="cc-exp" data-testid="card-expiry"`,
    { hint: text.expiryHint, value: sent["expiry"] }
  )
  const cvc = field(
    view,
    "cvc",
    text.cvc,
    html`inputmode="numeric" autocomplete="cc-csc" maxlength="4" data-testid="card-cvc"`,
    { hint: text.cvcHint }
  )
  return html`<h2${!isPayout && html` class="or"`}>${isPayout ? text.toCard : text.byCard}</h2>
    ${form(
      view,
      html`${field(view, "number", text.number, html`inputmode="numeric" autocomplete="cc-number" placeholder="4242 4242 4242 4242" maxlength="23" data-testid="card-number"`)}
        ${isPayout ? expiry : html`<div class="two">${expiry}${cvc}</div>`}
        ${field(view, "name", text.name, html`autocomplete="cc-name" maxlength="100" data-testid="card-name"`, { value: sent["name"] ?? intent.request.order.name ?? undefined })}
        <button name="act" value="card" data-testid="pay">
          ${icon("lock", 18)}${action(intent, viewer)}
        </button>`
    )}`
}

const wallets = (view: View): Html => {
  const buttons = methods.map(
    (method) =>
      html`<button class="quiet" name="act" value="${method}" data-testid="${`pay-${method}`}">
        ${icon(icons[method])}${view.text[method]}
      </button>`
  )
  return form(view, html`<div class="ways">${buttons}</div>`)
}

const accounts = (view: View): Html =>
  html`<p class="or">${view.text.otherPlaces}</p>
    ${methods.map((method) => account(view, method))}`

const icons = { WALLET: "wallet", BANK_TRANSFER: "bank" } as const

const account = (view: View, method: Method): Html => {
  const { errors, text, sent } = view
  const isSent = sent["act"] === method
  const label = method === "WALLET" ? text.walletAccount : text.bankAccount
  const mine = isSent ? view : { ...view, errors: [] }
  return html`<details class="way" ${isSent && errors.length > 0 && html` open`}>
    <summary data-testid="${`way-${method}`}">${icon(icons[method])}${text[method]}</summary>
    ${form(
      view,
      html`${field(mine, "account", label, html`autocomplete="off" maxlength="100" data-testid="${`account-${method}`}"`, { id: `account-${method}`, value: isSent ? sent["account"] : undefined })}
        <button name="act" value="${method}" data-testid="${`pay-${method}`}">
          ${text.receiveWith[method]}
        </button>`
    )}
  </details>`
}

const askAmount = (view: View): Html => {
  const { intent, text, sent } = view
  return form(
    view,
    html`${field(view, "amount", text.amountLabel, html`inputmode="decimal" autocomplete="transaction-amount" data-testid="amount-input"`, { hint: intent.currency, value: sent["amount"] })}
      <button name="act" value="amount" data-testid="next">${text.next}</button>`
  )
}

const result = (intent: Intent, { isFrame, language }: Viewer): Html => {
  const text = translations[language]
  const { amount, currency, intentId, request, state } = intent
  const shown = { amount: money(amount ?? "0", currency, language) }
  if (state === "underway") {
    return html`<div class="result" role="status">
      <span class="mark wait">${icon("wait", 26)}</span>
      <h2>${text.underway}</h2>
      <p>${text.underwayMore}</p>
      <a class="button quiet" href="${payPath(intentId, isFrame)}" data-testid="refresh"
        >${text.refresh}</a
      >
    </div>`
  }
  const isPaid = state === "paid"
  const isExpired = state === "expired"
  const thanks = request.type === "PAYOUT" ? text.paidOut : text.paidMore
  const url = isPaid ? request.successRedirectUrl : request.failureRedirectUrl
  return html`<div class="result" role="status">
    <span class="mark ${isPaid ? "good" : "bad"}">${icon(isPaid ? "tick" : "cross", 26)}</span>
    <h2>${isPaid ? text.paid : isExpired ? text.expired : text.cancelled}</h2>
    <p>${isPaid ? fillIn(thanks, shown) : isExpired ? text.expiredMore : text.cancelledMore}</p>
    <a class="button" href="${url}" target="_top" data-testid="return">${text.return}</a>
  </div>`
}
