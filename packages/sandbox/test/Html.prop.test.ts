/**
 * D04: text of a merchant or a customer is never markup.
 */
import { forAll } from "@pawl/test-support/Properties"
import { character } from "@pawl/test-support/Text"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import type { Intent } from "@pawl/testkit/internal/gateway/Intent"
import * as ChallengePage from "../src/internal/pages/ChallengePage.ts"
import { html } from "../src/internal/pages/Html.ts"
import * as PageShell from "../src/internal/pages/PageLayout.ts"
import * as PayPage from "../src/internal/pages/PayPage.ts"
import { languageOf, translations } from "../src/internal/pages/Translations.ts"

/** Texts like the Big List of Naughty Strings. */
const naughty = [
  `<script>alert(1)</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' autofocus onfocus='alert(1)`,
  `"/><svg/onload=alert(1)>`,
  `</textarea><iframe src=javascript:alert(1)>`,
  `&lt;script&gt;&#x3c;b&#62;`,
  `\u2028<b>\u2029`,
  `\u202Egnirts<i>`,
  `<!--<p>--><![CDATA[<x>]]>`,
  `{{7*7}}\${7*7}<%= 7 %>`,
  `\u0000<\u0000a>`,
  `\uD800<`,
  `javascript:alert(1)`,
  `Ω≈ç√∫˜µ≤≥÷ 田中さん 👾`
]

const text = fc.oneof(
  fc.constantFrom(...naughty),
  fc.string({ unit: character, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom("<", ">", '"', "'", "&", "`", "=", "/", " ", "a", ";", "#") })
)

const filled = text.filter((value) => value !== "")

const unescaped = (escaped: string): string =>
  escaped.replace(/&#(\d+);/gu, (_, code: string) => String.fromCodePoint(Number(code)))

it("a template value is parsed back unchanged, and is no markup in text or in an attribute", () =>
  forAll([text], (value) => {
    const written = html`<p title="${value}">${value}</p>`.text
    const [, attribute = "", content = ""] =
      /^<p title="([^"<]*)">([^<]*)<\/p>$/su.exec(written) ?? []
    assert.strictEqual(unescaped(attribute), value)
    assert.strictEqual(unescaped(content), value)
    assert.notMatch(attribute, /[<>"']|&(?!#\d+;)/u)
  }))

it("only the result of a template is put into another unescaped", () => {
  const forged = { text: "<b>" } as unknown as ReturnType<typeof html>
  assert.throws(() => html`${forged}`)
  assert.strictEqual(
    html`${[html`<i>${"<"}</i>`, undefined, false, "&", 7]}`.text,
    "<i>&#60;</i>&#38;7"
  )
})

/** Returns the names of tags and attributes as a browser's tokenizer reads them. */
const skeleton = (page: string): ReadonlyArray<string> =>
  Array.from(
    page.matchAll(/<(\/?[a-z!][a-z0-9-]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>/gu),
    ([, tag = "", attributes = ""]) =>
      `${tag} ${Array.from(attributes.matchAll(/([a-z-]+)(?:="[^"]*")?/gu), ([, name]) => name).join(" ")}`
  )

const intentOf = (value: string): Intent =>
  ({
    intentId: "100001",
    state: "open",
    amount: "10.50",
    currency: "EUR",
    attempts: [],
    isEarly: false,
    expiresTime: "2026-11-21T12:30:00.000Z",
    createdTime: "2026-11-20T12:30:00.000Z",
    request: {
      type: "PAYOUT",
      mid: "77",
      lang: "en",
      order: { title: value, orderId: value, domainName: value, name: value },
      metadata: { [value]: value },
      successRedirectUrl: "https://shop.example/thanks",
      failureRedirectUrl: "https://shop.example/sorry"
    }
  }) as unknown as Intent

it("D04: a page has the same tags for any text of the merchant and the customer", () => {
  const reader = { language: "en", isFrame: false } as const
  const pageOf = (value: string) =>
    PageShell.write(
      PayPage.make(
        intentOf(value),
        reader,
        { act: "WALLET", name: value, account: value, expiry: value, number: value, cvc: value },
        [
          { field: "number", reason: "testCards" },
          { field: "account", reason: "account" }
        ]
      ),
      reader
    )
  const expected = skeleton(pageOf("tea"))
  assert.isAbove(expected.length, 60)
  return forAll([filled], (value) => {
    const page = pageOf(value)
    assert.deepStrictEqual(skeleton(page), expected)
    assert.strictEqual(page.split("<").length - 1, page.match(/<[a-z/!]/gu)?.length)
  })
})

it("D04: a challenge has the same tags for any text of the merchant", () => {
  const reader = { language: "de", isFrame: true } as const
  const pageOf = (value: string) =>
    PageShell.write(
      ChallengePage.make(
        {
          transactionId: "100001",
          kind: "card-payment",
          status: "CUSTOMER_VERIFICATION",
          amount: "1",
          currency: "EUR",
          order: { domainName: value }
        } as never,
        reader
      ),
      reader
    )
  const expected = skeleton(pageOf("tea"))
  return forAll([filled], (value) => assert.deepStrictEqual(skeleton(pageOf(value)), expected))
})

it("D04: the language of a page is a supported one for any request", async () => {
  await forAll([text, text], (lang, header) => {
    assert.property(translations, languageOf(lang, header))
  })
  assert.strictEqual(languageOf("fr", "de"), "fr")
  assert.strictEqual(languageOf("ja", "de-CH;q=0.9, es"), "es")
  assert.strictEqual(languageOf(undefined, "ja, es;q=0.5"), "es")
  assert.strictEqual(languageOf("__proto__", "constructor"), "en")
  assert.strictEqual(languageOf(undefined), "en")
})

it("every language has every text, with the same placeholders", () => {
  const gaps = (translation: object): unknown =>
    Object.entries(translation).map(([name, text]) =>
      typeof text === "string" ? [name, text.match(/\{\w+\}/gu)] : [name, gaps(text as object)]
    )
  for (const translation of Object.values(translations))
    assert.deepStrictEqual(gaps(translation), gaps(translations.en))
})
