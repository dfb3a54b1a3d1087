import * as Effect from "effect/Effect"
import { readFile } from "node:fs/promises"
import { files } from "@pawl/test-support/Stores"
import { assert, describe, expect, it } from "vitest"
import * as Gateway from "@pawl/testkit/Gateway"
import { style } from "../src/internal/pages/PageStyle.ts"
import { shared } from "@pawl/receiver/internal/admin/PageFiles"
import { createAt, intentAt, untilTold, visit } from "./support/customer.ts"
import { address, control, runWith, test } from "./support/sandbox.ts"
import { raw } from "./support/wire.ts"

const file = files()

const good = {
  act: "card",
  attempts: "0",
  number: "4242424242424242",
  expiry: "04/30",
  cvc: "737",
  name: "Ada Lovelace"
}

const urls = {
  successRedirectUrl: "https://shop.example/thanks?a=1&b=%20;c#d",
  failureRedirectUrl: "http://127.0.0.1:4020/sorry"
}

it("the pages of customers have the font of the console and of the receiver's page", async () => {
  const familyIn = (css: string) =>
    /font:\s+1[56]px\/1\.5 ([^;]+);/u.exec(css)?.[1]?.replaceAll(/\s+/gu, " ")
  const family = familyIn(await readFile(new URL("base.css", shared), "utf8"))
  assert.isDefined(family)
  assert.strictEqual(familyIn(style), family)
})

describe("the page of an intent", () => {
  test("is 200 text/html, and shows the amount, the order and a form", function* () {
    const { redirectUrl } = yield* intentAt({
      order: { title: "Tea & <scones>", orderId: "o-1", domainName: "shop.example" }
    })
    assert.strictEqual(redirectUrl, `${(yield* address).origin}/pay/8000000000100001`)
    const { headers, status, text } = yield* visit(redirectUrl)
    assert.strictEqual(status, 200)
    assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(headers.get("cache-control"), "no-store")
    assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    assert.include(text, "€10.50")
    assert.include(text, "<bdi>Tea &#38; &#60;scones&#62;</bdi>")
    assert.include(text, "o-1")
    assert.notMatch(text, /<script|style="|\son[a-z]+=|src=|https:/u)
  })

  test("D06: has a policy of its own, and only the one for a frame may be framed", function* () {
    const { iframeUrl, redirectUrl } = yield* intentAt(urls)
    const policy = (framing: string) =>
      "default-src 'none'; style-src 'self'; img-src 'self'; " +
      `base-uri 'none'; frame-ancestors ${framing}`
    const whole = yield* visit(redirectUrl)
    assert.strictEqual(whole.headers.get("content-security-policy"), policy("'none'"))
    assert.strictEqual(whole.headers.get("x-frame-options"), "DENY")
    const frame = yield* visit(iframeUrl)
    assert.strictEqual(frame.headers.get("content-security-policy"), policy("*"))
    assert.isNull(frame.headers.get("x-frame-options"))
    assert.include(frame.text, `action="/pay/8000000000100001?frame=1"`)
  })

  test("is in the language of the intent, else of the browser, else English", function* () {
    for (const [lang, accepted, expected, amount] of [
      ["de", "fr", "de", "10,50 €"],
      ["es", "", "es", "10,50 €"],
      ["fr", "", "fr", "10,50 €"],
      ["ja", "fr-CA,de;q=0.5", "fr", "10,50 €"],
      ["ja", "de;q=0.5, fr;q=0, es;q=0.9", "es", "10,50 €"],
      ["ja", "", "en", "€10.50"]
    ] as const) {
      const { redirectUrl } = yield* intentAt({ requestId: `${lang} ${accepted}`, lang })
      const { text } = yield* visit(redirectUrl, undefined, { "accept-language": accepted })
      assert.include(text, `<html lang="${expected}">`)
      assert.strictEqual(text.includes(`data-testid="untranslated"`), lang === "ja")
      assert.include(text.replaceAll(/\s/gu, " "), amount)
    }
  })

  test("D03: redirects the customer only to the stored URLs, character by character", function* () {
    const evil = "https://evil.example/"
    const asking = `?successRedirectUrl=${evil}&failureRedirectUrl=${evil}&url=${evil}&next=//evil.example`
    const paid = yield* intentAt({ ...urls, requestId: "paid" })
    const sent = yield* visit(`${paid.redirectUrl}${asking}`, {
      ...good,
      successRedirectUrl: evil,
      url: evil
    })
    assert.deepInclude(sent, { status: 303, location: "/pay/8000000000100001" })
    yield* untilTold("SUCCEED")
    const after = yield* visit(`${paid.redirectUrl}${asking}`)
    assert.deepInclude(after, { status: 302, location: urls.successRedirectUrl })
    const left = yield* intentAt({ ...urls, requestId: "left" })
    yield* visit(left.redirectUrl, { act: "cancel", attempts: "0", failureRedirectUrl: evil })
    assert.deepInclude(yield* visit(left.redirectUrl), {
      status: 302,
      location: urls.failureRedirectUrl
    })
    const foreign = yield* intentAt({
      ...urls,
      requestId: "foreign",
      failureRedirectUrl: "https://shop.example/größe"
    })
    yield* visit(foreign.redirectUrl, { act: "cancel", attempts: "0" })
    assert.strictEqual(
      (yield* visit(foreign.redirectUrl)).location,
      "https://shop.example/gr%C3%B6%C3%9Fe"
    )
  })

  test("D03: in a frame has a link to the stored URL, and never redirects", function* () {
    const { iframeUrl } = yield* intentAt(urls)
    const sent = yield* visit(iframeUrl, good)
    assert.strictEqual(sent.location, "/pay/8000000000100001?frame=1")
    yield* untilTold("SUCCEED")
    const { status, text } = yield* visit(iframeUrl)
    assert.strictEqual(status, 200)
    const link = urls.successRedirectUrl.replaceAll("&", "&#38;")
    assert.match(text, /data-testid="state-paid"/u)
    assert.include(text, `href="${link}" target="_top"`)
  })

  it("redirects a customer before the payment has ended, or lets them wait, as the seed selects", () =>
    runWith({ pace: "1 hour", seed: 7 }, function* () {
      const { checkout } = yield* Gateway.Gateway
      const statuses = new Set<number>()
      for (let n = 1; n <= 12; n++) {
        const { redirectUrl } = yield* intentAt({ ...urls, requestId: `r-${n}` })
        yield* visit(redirectUrl, good)
        const [, id = ""] = redirectUrl.split("/pay/")
        const intent = yield* checkout.intent(id)
        assert.strictEqual(intent?.state, "underway")
        const { headers, location, status } = yield* visit(redirectUrl)
        statuses.add(status)
        if (intent?.isEarly === true) assert.strictEqual(location, urls.successRedirectUrl)
        else assert.strictEqual(headers.get("refresh"), "2")
      }
      assert.sameMembers([...statuses], [200, 302])
    }))

  test("D08: shows, stores and logs no card number and no security code", function* () {
    const gateway = yield* Gateway.Gateway
    const { redirectUrl } = yield* intentAt(urls)
    const real = yield* visit(redirectUrl, { ...good, number: "4111 1111 1111 1111" })
    assert.strictEqual(real.status, 422)
    assert.match(real.text, /data-testid="error-summary"/u)
    assert.include(real.text, "4000\u00a00000\u00a00000\u00a03220")
    assert.notMatch(real.text, /4111|737/u)
    assert.include(real.text, `value="Ada Lovelace"`)
    yield* visit(redirectUrl, good)
    const stored = JSON.stringify([
      yield* gateway.transactions,
      yield* gateway.checkout.intents,
      yield* gateway.checkout.intent("8000000000100001")
    ])
    assert.include(stored, "424242******4242")
    assert.notMatch(stored, /4242424242424242|4111|"737"/u)
  })

  test("accepts a form once, and refuses a body that is not a form", function* () {
    const { transactions } = yield* Gateway.Gateway
    const { redirectUrl } = yield* intentAt(urls)
    for (const type of ["text/plain", "multipart/form-data", "application/json"]) {
      const options = { method: "POST", headers: { "content-type": type } }
      expect(yield* raw(redirectUrl, options, new URLSearchParams(good).toString())).toBe(415)
    }
    const long = { ...good, name: "a".repeat(17_000) }
    assert.strictEqual((yield* visit(redirectUrl, long)).status, 415)
    assert.lengthOf(yield* transactions, 0)
    const twice = yield* Effect.all([visit(redirectUrl, good), visit(redirectUrl, good)], {
      concurrency: "unbounded"
    })
    expect(twice.map(({ status }) => status)).toStrictEqual([303, 303])
    assert.lengthOf(yield* transactions, 1)
  })

  test("D05: serves only this machine, and accepts only its own forms", function* () {
    const { redirectUrl } = yield* intentAt(urls)
    const { host, origin } = new URL(redirectUrl)
    const form = "application/x-www-form-urlencoded"
    for (const [headers, gets, posts] of [
      [{}, 200, 303],
      [{ origin }, 200, 303],
      [{ referer: "https://shop.example/", "sec-fetch-site": "cross-site" }, 200, 303],
      [{ origin: "https://evil.example" }, 403, 403],
      [{ origin: `https://${host}` }, 403, 403],
      [{ origin: "null" }, 403, 403],
      [{ host: "evil.example" }, 403, 403],
      [{ host: "evil.example", origin: "http://evil.example" }, 403, 403]
    ] as const) {
      const label = JSON.stringify(headers)
      assert.strictEqual(yield* raw(redirectUrl, { headers }), gets, label)
      assert.strictEqual(
        yield* raw(
          redirectUrl,
          { method: "POST", headers: { ...headers, "content-type": form } },
          "act=nothing&attempts=9"
        ),
        posts,
        label
      )
    }
  })

  test("is a 404 page for an unknown intent", function* () {
    const { origin } = yield* address
    for (const path of ["/pay/7", "/pay/__proto__", "/challenge/7", "/pay/%3Cscript%3E"]) {
      const { headers, status, text } = yield* visit(`${origin}${path}`, undefined, {
        "accept-language": "de"
      })
      assert.strictEqual(status, 404)
      assert.include(headers.get("content-security-policy"), "default-src 'none'")
      assert.include(text, `<html lang="de">`)
      assert.notInclude(text, "cript>")
    }
  })

  it("of a payout calls it no payment, and names the merchant as the payer, as do its other pages", () =>
    runWith({ pace: "1 hour" }, function* () {
      for (const [language, payment, payer, method] of [
        ["en", /payment/iu, "From", "Receive by bank transfer"],
        ["de", /(?<!aus)zahlung|bezahl/iu, "Von", "Per Überweisung erhalten"],
        ["fr", /paiement|payer/iu, "De", "Recevoir par virement bancaire"],
        ["es", /pago|pagar/iu, "De", "Recibir por transferencia bancaria"]
      ] as const) {
        const accepted = { "accept-language": language }
        const payout = { ...urls, type: "PAYOUT", lang: language }
        const { iframeUrl } = yield* intentAt({ ...payout, requestId: `card ${language}` })
        assert.include((yield* visit(iframeUrl)).text, method)
        yield* visit(iframeUrl, { ...good, number: "4000000000003220" })
        const challenge = new URL((yield* visit(iframeUrl)).location ?? "", iframeUrl).href
        const sent = yield* intentAt({ ...payout, requestId: `bank ${language}` })
        yield* visit(sent.iframeUrl, { act: "WALLET", attempts: "0", account: "ada@shop.example" })
        const pages = [challenge, sent.iframeUrl]
        for (const paymentMethod of ["WALLET", "BANK_TRANSFER", "PIX_QR"]) {
          const { transactionId = "" } = yield* createAt("/payouts/apm", {
            ...urls,
            requestId: `${paymentMethod} ${language}`,
            apmPayload: { paymentMethod, paymentType: "REDIRECT" }
          })
          pages.push(new URL(`/apm/${transactionId}?frame=1`, iframeUrl).href)
        }
        for (const page of pages) {
          const { status, text } = yield* visit(page, undefined, accepted)
          assert.strictEqual(status, 200)
          assert.notMatch(text, payment)
          assert.strictEqual(page === sent.iframeUrl, !text.includes(`<dt>${payer}</dt>`))
        }
        yield* visit(pages[3] ?? "", { act: "approve" }, accepted)
        assert.notMatch((yield* visit(pages[3] ?? "", undefined, accepted)).text, payment)
      }
    }))

  it("survives a restart of the sandbox with a file, and so does its result", async () => {
    const { filename } = file()
    const path = await runWith({ filename }, function* () {
      const { redirectUrl } = yield* intentAt(urls)
      yield* visit(redirectUrl, { ...good, number: "4000000000000002" })
      return new URL(redirectUrl).pathname
    })
    await runWith({ filename }, function* () {
      const page = new URL(path, yield* address).href
      assert.match((yield* visit(page)).text, /data-testid="declined"/u)
      yield* visit(page, { ...good, attempts: "1" })
      yield* untilTold("SUCCEED")
      assert.strictEqual((yield* visit(page)).location, urls.successRedirectUrl)
      const { transactions } = yield* Gateway.Gateway
      assert.lengthOf(yield* transactions, 2)
    })
  })

  test("loads its style and icon from the sandbox only", function* () {
    const { redirectUrl } = yield* intentAt(urls)
    const { text } = yield* visit(redirectUrl)
    const assets = Array.from(text.matchAll(/<link[^>]* href="([^"]*)"/gu), ([, path]) => path)
    assert.lengthOf(assets, 2)
    for (const path of assets) {
      const { headers, status } = yield* visit(new URL(path ?? "", redirectUrl).href)
      assert.strictEqual(status, 200)
      assert.match(headers.get("content-type") ?? "", /^(?:text\/css|image\/svg\+xml)/u)
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
    }
  })
})

describe("a challenge", () => {
  const challenged = {
    card: { number: "4000000000003220", expMonth: "04", expYear: "2030" },
    ...urls
  }

  it("that is opened is decided once, by its buttons", () =>
    runWith({ pace: "1 second" }, function* () {
      const { transaction } = yield* Gateway.Gateway
      for (const [act, status, declineCode, location] of [
        ["approve", "SUCCEED", undefined, urls.successRedirectUrl],
        ["decline", "FAILED", 59, urls.failureRedirectUrl],
        ["", "FAILED", 59, urls.failureRedirectUrl]
      ] as const) {
        const requestId = `r-${act}`
        const created = yield* createAt("/payments/card", { ...challenged, requestId })
        const { challengeUrl = "", challengeUrlIframe = "", transactionId = "" } = created
        assert.strictEqual(challengeUrlIframe, `${challengeUrl}?frame=1`)
        const page = yield* visit(challengeUrl)
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "€10.50")
        assert.include(page.text, "•••• 3220")
        expect((yield* visit(challengeUrl, { act })).location).toBe(`/challenge/${transactionId}`)
        yield* visit(challengeUrl, { act: act === "approve" ? "decline" : "approve" })
        const after = yield* transaction(transactionId)
        assert.include(after, { status, declineCode })
        assert.strictEqual((yield* visit(challengeUrl)).location, location)
        const framed = yield* visit(challengeUrlIframe)
        assert.match(framed.text, /data-testid="challenge-over"/u)
      }
    }))

  it("that is open keeps its payment waiting without a time limit", () =>
    runWith({ pace: "1 hour" }, function* () {
      const { transaction } = yield* Gateway.Gateway
      const { challengeUrl = "", transactionId = "" } = yield* createAt(
        "/payments/card",
        challenged
      )
      yield* visit(challengeUrl)
      const other = yield* createAt("/payments/card", { requestId: "other" })
      yield* control("POST", "/clock", { advance: "1 day" })
      assert.include(yield* transaction(other.transactionId ?? ""), { status: "SUCCEED" })
      assert.include(yield* transaction(transactionId), { status: "CUSTOMER_VERIFICATION" })
    }))

  test("of an intent returns to its page, which shows a decline and lets the customer try again", function* () {
    const { iframeUrl } = yield* intentAt(urls)
    yield* visit(iframeUrl, { ...good, number: "4000000000003220" })
    const { location: challenge } = yield* visit(iframeUrl)
    assert.strictEqual(challenge, "/challenge/100001?frame=1")
    const url = new URL(challenge ?? "", iframeUrl).href
    yield* visit(url, { act: "decline" })
    assert.strictEqual((yield* visit(url)).location, "/pay/8000000000100001?frame=1")
    const { status, text } = yield* visit(iframeUrl)
    assert.strictEqual(status, 200)
    assert.match(text, /data-testid="declined"/u)
    assert.include(text, "59")
    assert.match(text, /name="attempts" value="1"/u)
  })

  it("is in the response of every challenged create; a payment without a challenge has none", () =>
    runWith({ pace: "1 hour" }, function* () {
      const metadata = { "sandbox.scenario": "challenge" }
      for (const path of ["/payments/apm", "/payouts/apm", "/payouts/card", "/payments/card"]) {
        const { challengeUrl = "" } = yield* createAt(path, { metadata })
        assert.strictEqual((yield* visit(challengeUrl)).status, 200, path)
      }
      const { transactionId } = yield* createAt("/payments/card", { requestId: "other" })
      const { origin } = yield* address
      assert.strictEqual((yield* visit(`${origin}/challenge/${transactionId}`)).status, 404)
    }))
})
