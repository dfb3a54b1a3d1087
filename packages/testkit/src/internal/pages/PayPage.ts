/**
 * The page of an intent, in every state it can be in.
 */
import { stories } from "../gateway/Cards.ts"
import { type Html, html } from "./Html.ts"
import { type Intent, isOpen } from "../gateway/Intent.ts"
import { grouped, icon, money, type Page, type Reader } from "./PageShell.ts"
import { payPath } from "../gateway/Pages.ts"
import { type Fault, type Form, type Method, methodsOf } from "./PayForm.ts"
import { fill, type Words, words } from "./Words.ts"

/** Writes the page of an intent, with what was wrong with the form that was sent. */
export const make = (
  intent: Intent,
  reader: Reader,
  sent: Form = {},
  faults: ReadonlyArray<Fault> = []
): Page => {
  const say = words[reader.language]
  const { failureRedirectUrl, successRedirectUrl, type } = intent.request
  const title = type === "PAYOUT" ? say.payoutTitle : say.payTitle
  return {
    status: faults.length > 0 ? 422 : 200,
    title: faults.length > 0 ? `${say.problem} – ${title}` : title,
    back: [successRedirectUrl, failureRedirectUrl],
    ...(intent.state === "underway" ? { refresh: 1 } : {}),
    body: html`${summary(intent, reader)}
      <div class="side" data-testid="${`state-${intent.state}`}">
        ${isOpen(intent.state) ? forms({ intent, reader, say, sent, faults }) : result(intent, reader)}
      </div>`
  }
}

interface View {
  readonly intent: Intent
  readonly reader: Reader
  readonly say: Words
  readonly sent: Form
  readonly faults: ReadonlyArray<Fault>
}

/** What the merchant wrote may be written in another direction than the page. */
const merchants = (text: string): Html => html`<bdi>${text}</bdi>`

const summary = ({ amount, currency, request }: Intent, { language }: Reader): Html => {
  const say = words[language]
  const { domainName, orderId, siteId, title } = request.order
  const merchant = domainName || siteId || request.mid
  const shown = amount === undefined ? currency : money(amount, currency, language)
  return html`<section class="summary">
    <p class="merchant">
      <span class="badge" aria-hidden="true">${Array.from(merchant)[0]}</span
      ><span data-testid="merchant">${merchants(merchant)}</span>
    </p>
    <h1>
      ${request.type === "PAYOUT" ? say.payoutTitle : say.payTitle}
      <strong data-testid="amount">${shown}</strong>
    </h1>
    ${
      (title || orderId) &&
      html`<dl>
        ${
          title &&
          html`<div>
            <dt>${say.order}</dt>
            <dd data-testid="order-title">${merchants(title)}</dd>
          </div>`
        }
        ${
          orderId &&
          html`<div>
            <dt>${say.orderNumber}</dt>
            <dd data-testid="merchant-order">${merchants(orderId)}</dd>
          </div>`
        }
      </dl>`
    }
    <p class="safe">${icon("lock", 16)}${say.safe}</p>
  </section>`
}

const forms = (view: View): Html =>
  html`${problem(view)}
  ${view.intent.amount === undefined ? askAmount(view) : html`${card(view)}${others(view)}`}
  ${form(view, html`<button class="link" name="act" value="cancel" data-testid="cancel">${view.say.cancel}</button>`)}`

/** One form makes one transaction: `try` says which. */
const form = ({ intent, reader }: View, content: Html): Html =>
  html`<form method="post" action="${payPath(intent.intentId, reader.isFrame)}" novalidate>
    <input type="hidden" name="try" value="${intent.tries.length}" />
    ${content}
  </form>`

const problem = ({ faults, intent, reader, say, sent }: View): Html => {
  const isPayout = intent.request.type === "PAYOUT"
  if (faults.length > 0) {
    return html`<div
      class="notice"
      role="alert"
      tabindex="-1"
      autofocus
      data-testid="error-summary"
    >
      <h2>${say.problem}</h2>
      <ul>
        ${faults.map(({ field, reason }) => html`<li><a href="#${idOf(field, sent)}">${wrong(reason, reader)}</a></li>`)}
      </ul>
    </div>`
  }
  if (intent.state !== "declined") return html``
  return html`<div class="notice" role="alert" tabindex="-1" autofocus data-testid="declined">
    <h2>${isPayout ? say.declinedPayout : say.declined}</h2>
    <p>
      ${isPayout ? say.declinedPayoutMore : say.declinedMore}
      ${intent.declineCode !== undefined && fill(say.code, { code: String(intent.declineCode) })}
    </p>
  </div>`
}

const wrong = (reason: Fault["reason"], { language }: Reader): string => {
  const list = new Intl.ListFormat(language, { type: "disjunction" })
  const cards = list.format(Object.keys(stories).map(grouped))
  return fill(words[language].faults[reason], { cards })
}

const idOf = (field: string, sent: Form): string =>
  field === "account" ? `account-${sent["act"]}` : field

const field = (
  { faults, reader }: View,
  name: Fault["field"],
  label: string,
  attributes: Html,
  options: {
    readonly id?: string
    readonly hint?: string
    readonly value?: string | undefined
  } = {}
): Html => {
  const { hint, id = name, value } = options
  const fault = faults.find((fault) => fault.field === name)
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  return html`<div class="field">
    <span
      ><label for="${id}">${label}</label
      >${hint && html`<span class="hint" id="${id}-hint">${hint}</span>`}</span
    >
    <input
      id="${id}"
      name="${name}"
      required
      ${attributes}${value && html` value="${value}"`}${described !== "" && html` aria-describedby="${described}"`}${fault && html` aria-invalid="true"`}
    />
    ${fault && html`<p class="fault" id="${id}-fault">${wrong(fault.reason, reader)}</p>`}
  </div>`
}

const action = ({ amount, currency, request }: Intent, { language }: Reader): string => {
  const say = words[language]
  const shown = money(amount ?? "0", currency, language)
  return fill(request.type === "PAYOUT" ? say.payout : say.pay, { amount: shown })
}

const card = (view: View): Html => {
  const { intent, reader, say, sent } = view
  const isPayout = intent.request.type === "PAYOUT"
  const expiry = field(
    view,
    "expiry",
    say.expiry,
    html`inputmode="numeric" autocomplete="cc-exp" data-testid="card-expiry"`,
    { hint: say.expiryHint, value: sent["expiry"] }
  )
  const cvc = field(
    view,
    "cvc",
    say.cvc,
    html`inputmode="numeric" autocomplete="cc-csc" maxlength="4" data-testid="card-cvc"`,
    { hint: say.cvcHint }
  )
  return html`<h2>${isPayout ? say.toCard : say.byCard}</h2>
    ${form(
      view,
      html`${field(view, "number", say.number, html`inputmode="numeric" autocomplete="cc-number" placeholder="4242 4242 4242 4242" maxlength="23" data-testid="card-number"`)}
        ${isPayout ? expiry : html`<div class="two">${expiry}${cvc}</div>`}
        ${field(view, "name", say.name, html`autocomplete="cc-name" maxlength="100" data-testid="card-name"`, { value: sent["name"] ?? intent.request.order.name ?? undefined })}
        <button name="act" value="card" data-testid="pay">
          ${icon("lock", 18)}${action(intent, reader)}
        </button>`
    )}`
}

const others = (view: View): Html => {
  const { intent, say } = view
  const methods = methodsOf(intent.request.type, intent.request.mid)
  if (methods.length === 0) return html``
  return intent.request.type === "PAYOUT"
    ? html`<p class="or">${say.otherPlaces}</p>
        ${methods.map((method) => account(view, method))}`
    : html`<p class="or">${say.otherWays}</p>
        ${form(view, html`<div class="ways">${methods.map((method) => html`<button class="quiet" name="act" value="${method}" data-testid="${`pay-${method}`}">${icon(icons[method])}${say[method]}</button>`)}</div>`)}`
}

const icons = { WALLET: "wallet", BANK_TRANSFER: "bank" } as const

const account = (view: View, method: Method): Html => {
  const { faults, say, sent } = view
  const isSent = sent["act"] === method
  const label = method === "WALLET" ? say.walletAccount : say.bankAccount
  const mine = isSent ? view : { ...view, faults: [] }
  return html`<details class="way" ${isSent && faults.length > 0 && html` open`}>
    <summary data-testid="${`way-${method}`}">${icon(icons[method])}${say[method]}</summary>
    ${form(
      view,
      html`${field(mine, "account", label, html`autocomplete="off" maxlength="100" data-testid="${`account-${method}`}"`, { id: `account-${method}`, value: isSent ? sent["account"] : undefined })}
        <button name="act" value="${method}" data-testid="${`pay-${method}`}">
          ${fill(say.receiveWith, { method: say[method] })}
        </button>`
    )}
  </details>`
}

const askAmount = (view: View): Html => {
  const { intent, say, sent } = view
  return form(
    view,
    html`${field(view, "amount", say.amountLabel, html`inputmode="decimal" autocomplete="transaction-amount" data-testid="amount-input"`, { hint: intent.currency, value: sent["amount"] })}
      <button name="act" value="amount" data-testid="next">${say.next}</button>`
  )
}

/** What a customer sees who waits, or whom the merchant has to lead on from a frame. */
const result = (intent: Intent, { isFrame, language }: Reader): Html => {
  const say = words[language]
  const { amount, currency, intentId, request, state } = intent
  const shown = { amount: money(amount ?? "0", currency, language) }
  if (state === "underway") {
    return html`<div class="result" role="status">
      <span class="mark wait">${icon("wait", 26)}</span>
      <h2>${say.underway}</h2>
      <p>${say.underwayMore}</p>
      <a class="button quiet" href="${payPath(intentId, isFrame)}" data-testid="refresh"
        >${say.refresh}</a
      >
    </div>`
  }
  const isPaid = state === "paid"
  const thanks = request.type === "PAYOUT" ? say.paidOut : say.paidMore
  const url = isPaid ? request.successRedirectUrl : request.failureRedirectUrl
  return html`<div class="result" role="status">
    <span class="mark ${isPaid ? "good" : "bad"}">${icon(isPaid ? "tick" : "cross", 26)}</span>
    <h2>${isPaid ? say.paid : say.cancelled}</h2>
    <p>${isPaid ? fill(thanks, shown) : say.cancelledMore}</p>
    <a class="button" href="${url}" target="_top" data-testid="return">${say.return}</a>
  </div>`
}
