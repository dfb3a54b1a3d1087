/**
 * The pages of a sandbox for customers: where an intent is paid, or paid out, and where a payment is
 * confirmed to the bank.
 *
 * **Details**
 *
 * | path | what is there |
 * |---|---|
 * | `/pay/{intentId}` | the page of an intent, its `redirectUrl`; with `?frame=1` its `iframeUrl` |
 * | `/challenge/{transactionId}` | the challenge of a transaction, its `challengeUrl`; with `?frame=1` its `challengeUrlIframe` |
 *
 * A page is HTML from the server, without a script: a form is sent, and the answer says where to go on.
 * It speaks English, German, Spanish and French: the `lang` of the intent, and else what the browser
 * asks for. A page for a frame ends with a link back to the merchant; any other sends the customer back
 * by itself, to the URLs of the intent and nowhere else, exactly as they were given
 * (`docs/decisions/0039-a-hosted-page-is-html-without-a-script.md`).
 *
 * A challenge that nobody opens goes on by itself, as its scenario says; once somebody does, only the
 * buttons decide. Nothing of a card is kept but its mask, and only test cards are taken.
 *
 * **Gotchas**
 *
 * A redirect is no confirmation (`spec.md`, "Transaction statuses"). So half of the customers, drawn
 * by the seed, come back to the `successRedirectUrl` before their payment has ended.
 *
 * For tests in a browser, these `data-testid`s stay as they are:
 *
 * | where | `data-testid` |
 * |---|---|
 * | the order | `merchant`, `amount`, `order-title`, `merchant-order` |
 * | state | `state-open`, `state-declined`, `state-underway`, `state-paid`, `state-cancelled` |
 * | card | `card-number`, `card-expiry`, `card-cvc`, `card-name`, `pay` |
 * | other ways | `pay-WALLET`, `pay-BANK_TRANSFER`; for a payout also `way-…` and `account-…` |
 * | an intent without an amount | `amount-input`, `next` |
 * | what went wrong | `error-summary`, `declined` |
 * | ways out | `cancel`, `refresh`, `return` |
 * | challenge | `challenge`, `card-mask`, `challenge-approve`, `challenge-decline`, `challenge-over` |
 *
 * @since 0.1.0
 */
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Gateway from "./Gateway.ts"
import { Access } from "./internal/sandbox/Access.ts"
import type { Transaction } from "./internal/gateway/Book.ts"
import * as ChallengePage from "./internal/pages/ChallengePage.ts"
import type { Intent } from "./internal/gateway/Intent.ts"
import { html } from "./internal/pages/Html.ts"
import { challengePath, payPath } from "./internal/gateway/Pages.ts"
import * as PageShell from "./internal/pages/PageShell.ts"
import { style } from "./internal/pages/PageStyle.ts"
import type { Form } from "./internal/pages/PayForm.ts"
import * as PayPage from "./internal/pages/PayPage.ts"
import { languageOf, words } from "./internal/pages/Words.ts"

/**
 * Layer that adds the pages to a router.
 *
 * @category layers
 * @since 0.1.0
 */
export const routes: Layer.Layer<never, never, HttpRouter.HttpRouter | Gateway.Gateway | Access> =
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const { checkout } = yield* Gateway.Gateway
      const { page } = yield* Access

      const pay = Effect.gen(function* () {
        const { form, id, method, reader } = yield* asked
        const before = yield* checkout.intent(id)
        if (before === undefined) return missing(reader())
        const inLanguage = reader(before.request.lang)
        if (method === "GET") return show(before, inLanguage)
        const sent = yield* form
        if (sent === undefined) return forbidden(inLanguage)
        const after = yield* checkout.submit(id, sent)
        if (after === undefined) return missing(inLanguage)
        return after.faults.length > 0
          ? respond(PayPage.make(after.intent, inLanguage, sent, after.faults), inLanguage)
          : seeOther(payPath(id, inLanguage.isFrame))
      })

      const challenge = Effect.gen(function* () {
        const { form, id, method, reader } = yield* asked
        const opened = yield* checkout.challenge(id)
        if (opened === undefined || !isChallenged(opened)) return missing(reader())
        const intent = yield* checkout.intent(opened.intentId ?? "")
        const inLanguage = reader(intent?.request.lang)
        if (method === "GET") return confront(opened, inLanguage)
        const sent = yield* form
        if (sent === undefined) return forbidden(inLanguage)
        yield* checkout.decide(id, sent["act"] === "approve")
        return seeOther(challengePath(id, inLanguage.isFrame))
      })

      for (const method of ["GET", "POST"] as const) {
        yield* router.add(method, "/pay/:id", page(pay))
        yield* router.add(method, "/challenge/:id", page(challenge))
      }
      yield* router.add("GET", PageShell.assets.style, asset(style, "text/css; charset=utf-8"))
      yield* router.add("GET", PageShell.assets.icon, asset(icon, "image/svg+xml"))
    })
  )

const asked = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { id = "" } = yield* HttpRouter.params
  const isFrame = /[?&]frame=1(?:&|$)/u.test(request.url)
  return {
    id,
    method: request.method,
    reader: (lang?: string): PageShell.Reader => ({
      isFrame,
      language: languageOf(lang, request.headers["accept-language"])
    }),
    form: readForm(request)
  }
})

const maxForm = HttpServerRequest.MaxBodySize.context(ByteSize.fromInputUnsafe("16 KiB"))

/** Reads a plain form; anything else was not sent by a page of ours. */
const readForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Form | undefined> =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/iu.test(request.headers["content-type"] ?? "")
    ? request.text.pipe(
        Effect.map((text): Form => Object.fromEntries([...new URLSearchParams(text)].toReversed())),
        Effect.provideContext(maxForm),
        Effect.orElseSucceed(() => undefined)
      )
    : Effect.undefined

const show = (intent: Intent, reader: PageShell.Reader) => {
  const { failureRedirectUrl, successRedirectUrl } = intent.request
  const [lastTry = ""] = intent.tries.slice(-1)
  if (intent.state === "challenged") return found(challengePath(lastTry, reader.isFrame))
  if (!reader.isFrame) {
    const isSentOn = intent.state === "paid" || (intent.state === "underway" && intent.isEarly)
    if (isSentOn) return found(successRedirectUrl)
    if (intent.state === "cancelled") return found(failureRedirectUrl)
  }
  return respond(PayPage.make(intent, reader), reader)
}

const confront = (transaction: Transaction, reader: PageShell.Reader) => {
  const { intentId, returnUrls = {}, status } = transaction
  if (status !== "CUSTOMER_VERIFICATION") {
    if (intentId !== undefined) return found(payPath(intentId, reader.isFrame))
    const isRefused = status === "FAILED" || status === "CANCELLED"
    const url = isRefused ? returnUrls.failure : returnUrls.success
    if (!reader.isFrame && url !== undefined) return found(url)
  }
  return respond(ChallengePage.make(transaction, reader), reader)
}

const isChallenged = ({ history }: Transaction): boolean =>
  history.some(({ status }) => status === "CUSTOMER_VERIFICATION")

const respond = (page: PageShell.Page, reader: PageShell.Reader) =>
  HttpServerResponse.text(PageShell.write(page, reader), {
    status: page.status,
    contentType: "text/html; charset=utf-8",
    headers: PageShell.headersOf(page, reader)
  })

const redirect = (status: 302 | 303, location: string) =>
  HttpServerResponse.empty({
    status,
    headers: {
      ...PageShell.always,
      "cache-control": "no-store",
      // As it was given, unless it has what a header cannot hold.
      location: /^[!-~]+$/u.test(location) ? location : new URL(location).href
    }
  })

const found = (location: string) => redirect(302, location)

const seeOther = (location: string) => redirect(303, location)

const asset = (body: string, contentType: string) =>
  HttpServerResponse.text(body, {
    contentType,
    headers: { ...PageShell.always, "cache-control": "max-age=60" }
  })

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2450c8"/><path d="M10 15h12v9H10zm2.500 0v-3a3.500 3.500 0 0 1 7 0v3" fill="none" stroke="#fff" stroke-width="2.500" stroke-linejoin="round"/></svg>`

const notice = (
  status: number,
  testid: "missing" | "forbidden",
  reader: PageShell.Reader,
  more: "missingMore" | "forbiddenMore"
) => {
  const say = words[reader.language]
  const body = html`<div class="side" data-testid="${testid}">
    <div class="result">
      <h1>${say[testid]}</h1>
      <p>${say[more]}</p>
    </div>
  </div>`
  return respond({ status, title: say[testid], isAlone: true, body }, reader)
}

const missing = (reader: PageShell.Reader) => notice(404, "missing", reader, "missingMore")

const forbidden = (reader: PageShell.Reader) => notice(415, "forbidden", reader, "forbiddenMore")
