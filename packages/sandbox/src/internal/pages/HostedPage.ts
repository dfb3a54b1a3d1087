/**
 * The pages of a sandbox for customers: the page of a payment intent, and the challenge of a
 * transaction.
 *
 * | path | page |
 * |---|---|
 * | `/pay/{intentId}` | the page of an intent, its `redirectUrl`; with `?frame=1` its `iframeUrl` |
 * | `/apm/{transactionId}` | the page of a wallet, a bank or a QR code: the `redirectUrl` of an APM payment; with `?frame=1` its `iframeUrl` |
 * | `/challenge/{transactionId}` | the challenge of a transaction, its `challengeUrl`; with `?frame=1` its `challengeUrlIframe` |
 *
 * A page is HTML without a script (`docs/decisions/0033-pages.md`);
 * `docs/decisions/0029-sandbox-answers.md` says what it does. The language is the `lang` of the
 * intent, else the browser's, else English.
 *
 * For tests in a browser, these `data-testid`s are stable:
 *
 * | part | `data-testid` |
 * |---|---|
 * | the order | `merchant`, `amount`, `order-title`, `merchant-order` |
 * | state | `state-open`, `state-declined`, `state-underway`, `state-paid`, `state-cancelled`, `state-expired` |
 * | card | `card-number`, `card-expiry`, `card-cvc`, `card-name`, `pay` |
 * | other methods | `pay-WALLET`, `pay-BANK_TRANSFER`; for a payout also `way-…` and `account-…` |
 * | an intent without an amount | `amount-input`, `next` |
 * | errors | `error-summary`, `declined` |
 * | links and buttons that leave the page | `cancel`, `refresh`, `return` |
 * | payment method | `method-ask`, `method-approve`, `method-decline`, `method-cancel`; `method-scan`, `deep-link`; `method-pending`, `method-over` |
 * | facts of a challenge or method | `payee`, `amount`, `card-mask`, `method` |
 * | challenge | `challenge`, `challenge-approve`, `challenge-decline`, `challenge-over` |
 */
import { isTerminal, type Status } from "@pawl/core/Status"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type * as Layer from "effect/Layer"
import * as Gateway from "@pawl/testkit/Gateway"
import { RouteGuards } from "../http/RouteGuards.ts"
import type { ApmTransaction } from "@pawl/testkit/internal/gateway/MethodPage"
import type { Transaction } from "@pawl/testkit/internal/gateway/Transaction"
import * as ChallengePage from "./ChallengePage.ts"
import type { Intent } from "@pawl/testkit/internal/gateway/Intent"
import { html } from "./Html.ts"
import { challengePath, methodPath, payPath } from "@pawl/testkit/internal/gateway/PageUrls"
import * as PageLayout from "./PageLayout.ts"
import { style } from "./PageStyle.ts"
import type { Form } from "@pawl/testkit/internal/gateway/PayForm"
import * as MethodPage from "./MethodPage.ts"
import * as PayPage from "./PayPage.ts"
import { languageOf, translations, untranslated } from "./Translations.ts"

export const routes: Layer.Layer<
  never,
  never,
  HttpRouter.HttpRouter | Gateway.Gateway | RouteGuards
> = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { checkout } = yield* Gateway.Gateway
    const { page } = yield* RouteGuards

    const pay = Effect.gen(function* () {
      const { form, id, method, viewer } = yield* context
      const intent = yield* checkout.intent(id)
      if (intent === undefined) return missing(viewer())
      const localized = viewer(intent.request.lang)
      if (method === "GET") return show(intent, localized)
      const sent = yield* form
      if (sent === undefined) return forbidden(localized)
      const submitted = yield* checkout.submit(id, sent)
      if (submitted === undefined) return missing(localized)
      return submitted.errors.length > 0
        ? respond(PayPage.make(submitted.intent, localized, sent, submitted.errors), localized)
        : seeOther(payPath(id, localized.isFrame))
    })

    const challenge = Effect.gen(function* () {
      const { form, id, method, viewer } = yield* context
      const transaction = yield* checkout.challenge(id)
      if (transaction === undefined || !isChallenged(transaction)) return missing(viewer())
      const intent = yield* checkout.intent(transaction.intentId ?? "")
      const localized = viewer(intent?.request.lang)
      if (method === "GET") return showChallenge(transaction, localized)
      const sent = yield* form
      if (sent === undefined) return forbidden(localized)
      yield* checkout.decide(id, sent["act"] === "approve")
      return seeOther(challengePath(id, localized.isFrame))
    })

    const apm = Effect.gen(function* () {
      const { form, id, method, query, viewer } = yield* context
      const opened = yield* checkout.method(id)
      const localized = viewer()
      if (opened === undefined) return missing(localized)
      if (method === "GET") return showMethod(opened, query, localized)
      const { act } = (yield* form) ?? {}
      if (act !== "approve" && act !== "decline" && act !== "cancel") return forbidden(localized)
      yield* checkout.confirm(id, act)
      return seeOther(methodPath(id, query))
    })

    for (const method of ["GET", "POST"] as const) {
      yield* router.add(method, "/pay/:id", page(pay))
      yield* router.add(method, "/apm/:id", page(apm))
      yield* router.add(method, "/challenge/:id", page(challenge))
    }
    yield* router.add("GET", PageLayout.assets.style, asset(style, "text/css; charset=utf-8"))
    yield* router.add("GET", PageLayout.assets.icon, asset(icon, "image/svg+xml"))
  })
)

const context = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { id = "" } = yield* HttpRouter.params
  const isFrame = /[?&]frame=1(?:&|$)/u.test(request.url)
  return {
    id,
    query: isFrame ? "?frame=1" : (/\?app=(?:qr|link)$/u.exec(request.url)?.[0] ?? ""),
    method: request.method,
    viewer: (lang?: string): PageLayout.Viewer => ({
      isFrame,
      language: languageOf(lang, request.headers["accept-language"]),
      untranslated: untranslated(lang)
    }),
    form: readForm(request)
  }
})

const maxForm = HttpServerRequest.MaxBodySize.context(ByteSize.fromInputUnsafe("16 KiB"))

/** Reads the form of a page, which sends no other body. */
const readForm = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Form | undefined> =>
  /^application\/x-www-form-urlencoded\s*(?:;|$)/iu.test(request.headers["content-type"] ?? "")
    ? request.text.pipe(
        Effect.map((text): Form => Object.fromEntries([...new URLSearchParams(text)].toReversed())),
        Effect.provideContext(maxForm),
        Effect.orElseSucceed(() => undefined)
      )
    : Effect.undefined

const show = (intent: Intent, viewer: PageLayout.Viewer) => {
  const { failureRedirectUrl, successRedirectUrl } = intent.request
  const [lastAttempt = ""] = intent.attempts.slice(-1)
  if (intent.state === "challenged") return found(challengePath(lastAttempt, viewer.isFrame))
  if (!viewer.isFrame) {
    const isRedirected = intent.state === "paid" || (intent.state === "underway" && intent.isEarly)
    if (isRedirected) return found(successRedirectUrl)
    if (intent.state === "cancelled") return found(failureRedirectUrl)
  }
  return respond(PayPage.make(intent, viewer), viewer)
}

const showMethod = (opened: ApmTransaction, query: string, viewer: PageLayout.Viewer) => {
  const { returnUrls = {}, status, transactionId } = opened.transaction
  if (status === "CUSTOMER_VERIFICATION") return found(challengePath(transactionId, viewer.isFrame))
  const url = isRefused(status) ? returnUrls.failure : returnUrls.success
  const isOver = isTerminal(status) && query === "" && url !== undefined
  return isOver ? found(url) : respond(MethodPage.make(opened, query, viewer), viewer)
}

const showChallenge = (transaction: Transaction, viewer: PageLayout.Viewer) => {
  const { intentId, returnUrls = {}, status } = transaction
  if (status !== "CUSTOMER_VERIFICATION") {
    if (intentId !== undefined) return found(payPath(intentId, viewer.isFrame))
    const url = isRefused(status) ? returnUrls.failure : returnUrls.success
    if (!viewer.isFrame && url !== undefined) return found(url)
  }
  return respond(ChallengePage.make(transaction, viewer), viewer)
}

const isRefused = (status: Status): boolean => status === "FAILED" || status === "CANCELLED"

const isChallenged = ({ history }: Transaction): boolean =>
  history.some(({ status }) => status === "CUSTOMER_VERIFICATION")

const respond = (page: PageLayout.Page, viewer: PageLayout.Viewer) =>
  HttpServerResponse.text(PageLayout.write(page, viewer), {
    status: page.status,
    contentType: "text/html; charset=utf-8",
    headers: PageLayout.headersOf(page, viewer)
  })

const redirect = (status: 302 | 303, location: string) =>
  HttpServerResponse.empty({
    status,
    headers: {
      ...PageLayout.commonHeaders,
      "cache-control": "no-store",
      // The URL is sent exactly as the merchant wrote it, unless a header cannot hold it.
      location: /^[!-~]+$/u.test(location) ? location : new URL(location).href
    }
  })

const found = (location: string) => redirect(302, location)

const seeOther = (location: string) => redirect(303, location)

const asset = (body: string, contentType: string) =>
  HttpServerResponse.text(body, {
    contentType,
    headers: { ...PageLayout.commonHeaders, "cache-control": "max-age=60" }
  })

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#2450c8"/><path d="M10 15h12v9H10zm2.500 0v-3a3.500 3.500 0 0 1 7 0v3" fill="none" stroke="#fff" stroke-width="2.500" stroke-linejoin="round"/></svg>`

const notice = (
  status: number,
  testid: "missing" | "forbidden",
  viewer: PageLayout.Viewer,
  more: "missingMore" | "forbiddenMore"
) => {
  const text = translations[viewer.language]
  const body = html`<div class="side" data-testid="${testid}">
    <div class="result">
      <span class="mark">${PageLayout.icon("lost", 26)}</span>
      <h1>${text[testid]}</h1>
      <p>${text[more]}</p>
    </div>
  </div>`
  return respond({ status, title: text[testid], isAlone: true, body }, viewer)
}

const missing = (viewer: PageLayout.Viewer) => notice(404, "missing", viewer, "missingMore")

const forbidden = (viewer: PageLayout.Viewer) => notice(415, "forbidden", viewer, "forbiddenMore")
