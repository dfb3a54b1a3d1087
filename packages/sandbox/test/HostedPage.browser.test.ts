import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Frame, Page } from "playwright-core"
import decodeQR from "qr/decode.js"
import { assert, it } from "vitest"
import type * as Courier from "@pawl/testkit/Courier"
import * as Gateway from "@pawl/testkit/Gateway"
import { serve } from "@pawl/test-support/Listener"
import { translations } from "../src/internal/pages/Translations.ts"
import * as Sandbox from "../src/Sandbox.ts"
import * as VirtualClock from "@pawl/testkit/VirtualClock"
import { isAccessible } from "./support/axe.ts"
import { inChromium, type PageOptions } from "./support/chromium.ts"
import { createAt, intentAt, untilTold } from "./support/customer.ts"
import * as Picture from "./support/picture.ts"

const shop = Effect.map(
  serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://shop.example")
    if (pathname === "/moved") {
      const { localPort = 0 } = request.socket
      response.statusCode = 302
      response.setHeader("location", `http://127.0.0.1:${localPort}/thanks`)
    }
    const frame = `<iframe title="Payment" src="${searchParams.get("url")}" width="480" height="1100"></iframe>`
    response.setHeader("content-type", "text/html")
    response.end(`<title>${pathname}</title>${pathname === "/cart" ? frame : ""}`)
  }),
  // For a browser this is another site than the sandbox.
  (port) => `http://localhost:${port}`
)

type Services = Sandbox.Sandbox | Gateway.Gateway | Courier.Courier | VirtualClock.VirtualClock

type Test = (
  url: string
) => Generator<Effect.Effect<unknown, unknown, Services | Scope.Scope>, void, never>

/** Declares a test of a customer of the shop at a URL. */
const test = (name: string, body: Test, options: Sandbox.Options = {}) =>
  it(`on a page of customers: ${name}`, () =>
    Effect.flatMap(shop, (url) => Effect.gen(() => body(url))).pipe(
      Effect.provide(Sandbox.layer({ pace: "20 millis", seed: 1, ...options })),
      Effect.scoped,
      Effect.runPromise
    ))

const order = {
  title: "Darjeeling First Flush, 2 tins",
  orderId: "T-2026-1187",
  domainName: "leaf-and-kettle.example",
  name: "Ada Lovelace"
}

const urlsOf = (shop: string) => ({
  order,
  successRedirectUrl: `${shop}/thanks?order=7`,
  failureRedirectUrl: `${shop}/sorry`
})

const nextStep = ({ apmResponseData }: object & { readonly apmResponseData?: unknown }) =>
  Object(apmResponseData) as Record<string, string>

/** Creates a payment whose customer decides on the page of its method. Returns the next step. */
const pay = (shop: string, paymentMethod: string, requestId = "r-1") =>
  Effect.map(
    createAt("/payments/apm", {
      ...urlsOf(shop),
      requestId,
      apmPayload: { paymentMethod },
      metadata: { "sandbox.scenario": "customer" }
    }),
    nextStep
  )

const payBy = async (page: Page | Frame, number: string) => {
  await page.getByTestId("card-number").fill(number)
  await page.getByTestId("card-expiry").fill("04/30")
  await page.getByTestId("card-cvc").fill("737")
  await page.getByTestId("card-name").fill("Ada Lovelace")
  await page.getByTestId("pay").click()
}

const isShown = (page: Page, testid: string) => page.getByTestId(testid).waitFor()

/** Returns the pixels of the QR code. Runs in the page. */
const pixelsOf = async (png: string) => {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.codePointAt(0) ?? 0)
  const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }))
  const { height, width } = image
  const canvas = new OffscreenCanvas(width, height).getContext("2d")
  canvas?.drawImage(image, 0, 0)
  return { width, height, data: [...(canvas?.getImageData(0, 0, width, height).data ?? [])] }
}

const statuses = Effect.map(
  Effect.flatMap(Gateway.Gateway, ({ transactions }) => transactions),
  (transactions) => transactions.map(({ history }) => history.map(({ status }) => status).join(" "))
)

const paid = "NEW PENDING PROCESSING SUCCEED"

inChromium((withPage) => {
  const visit = (
    url: string,
    act: (page: Page) => Promise<void>,
    options?: PageOptions
  ): Effect.Effect<void> =>
    Effect.promise(() =>
      withPage(async (page) => {
        const violations: Array<string> = []
        page.on("console", (message) => {
          if (/Content Security Policy|Refused to/u.test(message.text())) {
            violations.push(message.text())
          }
        })
        await page.goto(url)
        await act(page)
        assert.deepStrictEqual(violations, [])
      }, options)
    )

  for (const javaScriptEnabled of [true, false]) {
    test(`a customer pays by card, with JavaScript ${javaScriptEnabled ? "on" : "off"}`, function* (shop) {
      const { redirectUrl } = yield* intentAt(urlsOf(shop))
      const act = async (page: Page) => {
        assert.strictEqual(await page.getByTestId("amount").textContent(), "€10.50")
        assert.strictEqual(await page.getByTestId("merchant-order").textContent(), "T-2026-1187")
        await payBy(page, "4242 4242 4242 4242")
        await page.waitForURL(`${shop}/thanks?order=7`)
      }
      yield* visit(redirectUrl, act, { javaScriptEnabled })
      yield* untilTold("SUCCEED")
      assert.deepStrictEqual(yield* statuses, [paid])
    })
  }

  test("the merchant's page may be on another host than its return URL", function* (shop) {
    const { redirectUrl } = yield* intentAt({
      ...urlsOf(shop),
      failureRedirectUrl: `${shop}/moved`
    })
    yield* visit(redirectUrl, async (page) => {
      await page.getByTestId("cancel").click()
      await page.waitForURL(/127\.0\.0\.1:\d+\/thanks$/u)
    })
  })

  test("a customer whose card is declined sees it, and pays with another", function* (shop) {
    const { redirectUrl } = yield* intentAt(urlsOf(shop))
    yield* visit(redirectUrl, async (page) => {
      await payBy(page, "4000000000000002")
      const message = page.getByTestId("declined")
      assert.include(await message.textContent(), "Your payment was declined")
      assert.strictEqual(await page.locator(":focus").getAttribute("data-testid"), "declined")
      await payBy(page, "5555555555554444")
      await page.waitForURL(`${shop}/thanks?order=7`)
    })
    yield* untilTold("SUCCEED")
    assert.deepStrictEqual(yield* statuses, ["NEW FAILED", paid])
  })

  test("a customer pays in a frame of the merchant's page, and continues on the merchant's page", function* (shop) {
    const { iframeUrl, redirectUrl } = yield* intentAt(urlsOf(shop))
    yield* visit(`${shop}/cart?url=${encodeURIComponent(iframeUrl)}`, async (page) => {
      const frame = page.frameLocator("iframe")
      const [, inner] = page.frames()
      assert.isDefined(inner)
      if (inner === undefined) return
      await payBy(inner, "4000000000003220")
      await frame.getByTestId("challenge-approve").click()
      await frame.getByTestId("return").click()
      await page.waitForURL(`${shop}/thanks?order=7`)
    })
    assert.deepStrictEqual(yield* statuses, ["NEW CUSTOMER_VERIFICATION SUCCEED"])
    // Without `?frame=1` the page may not be framed.
    yield* Effect.promise(() =>
      withPage(async (page) => {
        await page.goto(`${shop}/cart?url=${encodeURIComponent(redirectUrl)}`)
        const [, inner] = page.frames()
        assert.strictEqual(await inner?.getByTestId("amount").count(), 0)
      })
    )
  })

  test("a customer with only a keyboard finds the errors, corrects them and pays", function* (shop) {
    const { redirectUrl } = yield* intentAt({ ...urlsOf(shop), order: {} })
    yield* visit(redirectUrl, async (page) => {
      const focused = () => page.locator(":focus")
      const tab = async () => {
        await page.keyboard.press("Tab")
        return focused().evaluate(
          (element) => element.getAttribute("data-testid") ?? element.tagName
        )
      }
      assert.deepStrictEqual(
        [await tab(), await tab(), await tab(), await tab(), await tab(), await tab()],
        ["SUMMARY", "pay-WALLET", "pay-BANK_TRANSFER", "card-number", "card-expiry", "card-cvc"]
      )
      assert.deepStrictEqual([await tab(), await tab()], ["card-name", "pay"])
      const outline = await focused().evaluate((element) => getComputedStyle(element).outlineWidth)
      assert.strictEqual(outline, "3px")
      await page.keyboard.press("Enter")
      await page.getByTestId("error-summary").waitFor()
      assert.strictEqual(await tab(), "A")
      await page.keyboard.press("Enter")
      assert.strictEqual(await tab(), "card-expiry")
      await page.keyboard.press("Shift+Tab")
      for (const text of ["4242424242424242", "04/30", "737", "Ada Lovelace"]) {
        await page.keyboard.type(text)
        await page.keyboard.press("Tab")
      }
      await page.keyboard.press("Enter")
      await page.waitForURL(`${shop}/thanks?order=7`)
    })
    yield* untilTold("SUCCEED")
    assert.deepStrictEqual(yield* statuses, [paid])
  })

  test("a customer enters an amount and is paid out to their account", function* (shop) {
    const { redirectUrl } = yield* intentAt({
      ...urlsOf(shop),
      type: "PAYOUT",
      mid: "77",
      amount: undefined
    })
    yield* visit(redirectUrl, async (page) => {
      await page.getByTestId("amount-input").fill("12,5")
      await page.getByTestId("next").click()
      await page.getByTestId("way-BANK_TRANSFER").click()
      await page.getByTestId("pay-BANK_TRANSFER").click()
      await page.getByTestId("account-BANK_TRANSFER").fill("DE89 3704 0044 0532 0130 00")
      await page.getByTestId("pay-BANK_TRANSFER").click()
      await page.waitForURL(`${shop}/thanks?order=7`)
    })
    const [payout] = yield* (yield* Gateway.Gateway).transactions
    assert.include(payout, { kind: "apm-payout", amount: "12.5", apmType: "BANK_TRANSFER" })
  })

  for (const [language, colorScheme] of [
    ["en", "light"],
    ["en", "dark"],
    ["de", "light"],
    ["es", "light"],
    ["fr", "light"]
  ] as const) {
    test(
      `every page is accessible, readable and in its language: ${language}, ${colorScheme}`,
      function* (shop) {
        const say = translations[language]
        const fields = { ...urlsOf(shop), lang: language }
        const open = yield* intentAt(fields)
        const payout = yield* intentAt({ ...fields, requestId: "2", type: "PAYOUT", mid: "77" })
        const unpriced = yield* intentAt({ ...fields, requestId: "3", amount: undefined })
        const walk = async (page: Page) => {
          const look = async (label: string) => {
            await page.getByText(label).first().waitFor()
            assert.strictEqual(await page.locator("html").getAttribute("lang"), language)
            await isAccessible(page)
          }
          await page.getByTestId("test-mode").locator("summary").click()
          await look(say.byCard)
          await page.getByTestId("pay").click()
          await look(say.problem)
          assert.include(await page.title(), say.problem)
          await payBy(page, "4000000000000002")
          await look(say.declined)
          await look(say.reasons[5])
          await payBy(page, "4000000000003220")
          await look(say.challengeMore)
          await page.getByTestId("challenge-decline").click()
          await page.goto(open.iframeUrl)
          await page.getByTestId("pay-WALLET").click()
          await look(say.underway)
          await page.goto(unpriced.redirectUrl)
          await look(say.amountLabel)
          await page.goto(payout.iframeUrl)
          await page.getByTestId("way-WALLET").click()
          await look(say.walletAccount)
          await page.getByTestId("cancel").click()
          await look(say.cancelledMore)
        }
        yield* visit(open.redirectUrl, walk, { colorScheme, isStill: true })
      },
      { pace: "1 hour" }
    )
  }

  for (const [paymentMethod, javaScriptEnabled] of [
    ["WALLET", true],
    ["BANK_TRANSFER", false],
    ["QR", true]
  ] as const) {
    test(
      `a customer decides on the page of a payment method: ${paymentMethod}`,
      function* (shop) {
        for (const [decision, expected, path] of [
          ["approve", "NEW PENDING PROCESSING SUCCEED", "thanks?order=7"],
          ["decline", "NEW PENDING FAILED", "sorry"],
          ["cancel", "NEW PENDING CANCELLED", "sorry"]
        ] as const) {
          const { redirectUrl = "" } = yield* pay(shop, paymentMethod, decision)
          const decide = async (page: Page) => {
            // A QR code is scanned with another device, and the page goes on by itself.
            const scans = paymentMethod === "QR" && decision !== "cancel"
            const device = scans ? await page.context().newPage() : page
            if (scans) {
              const link = await page.getByTestId("deep-link").getAttribute("href")
              await device.goto(new URL(link ?? "", redirectUrl).href)
            }
            await isShown(
              device,
              decision === "cancel" && paymentMethod === "QR" ? "method-scan" : "method-ask"
            )
            assert.strictEqual(await device.getByTestId("amount").textContent(), "€10.50")
            if (javaScriptEnabled && (scans || paymentMethod !== "QR")) await isAccessible(device)
            await device.getByTestId(`method-${decision}`).click()
            await page.waitForURL(`${shop}/${path}`)
          }
          yield* visit(redirectUrl, decide, { javaScriptEnabled })
          assert.strictEqual((yield* statuses).at(-1), expected)
        }
      },
      { pace: "100 millis" }
    )
  }

  test("the QR code of the page has the qrData of the response", function* (shop) {
    const { qrData = "", redirectUrl = "" } = yield* pay(shop, "PIX_QR")
    for (const colorScheme of ["light", "dark"] as const) {
      const scan = async (page: Page) => {
        await isAccessible(page)
        const png = await page.locator(".qr").screenshot()
        const pixels = await page.evaluate(pixelsOf, png.toString("base64"))
        assert.strictEqual(decodeQR({ ...pixels, data: Uint8Array.from(pixels.data) }), qrData)
      }
      yield* visit(redirectUrl, scan, { colorScheme, isStill: true })
    }
    yield* visit(qrData, (page) => isShown(page, "method-ask"))
  })

  test(
    "a bank says that the payment is on its way, and the customer returns when it has arrived",
    function* (shop) {
      const { redirectUrl = "" } = yield* pay(shop, "BANK")
      const approve = async (page: Page) => {
        await page.getByTestId("method-approve").click()
        await isShown(page, "method-pending")
        await isAccessible(page)
      }
      yield* visit(redirectUrl, approve, { isStill: true })
      yield* (yield* VirtualClock.VirtualClock).advance(Duration.hours(10))
      yield* visit(redirectUrl, (page) => page.waitForURL(`${shop}/thanks?order=7`))
    },
    { pace: "1 hour" }
  )

  test(
    "an expired page, a lost page and the result of a decline say what to do",
    function* (shop) {
      const { baseUrl } = yield* Sandbox.Sandbox
      const { iframeUrl, redirectUrl } = yield* intentAt(urlsOf(shop))
      const declined = yield* createAt("/payments/apm", {
        metadata: { "sandbox.scenario": "decline:51" }
      })
      yield* (yield* VirtualClock.VirtualClock).advance(Duration.minutes(30))
      for (const url of [iframeUrl, redirectUrl]) {
        yield* visit(url, async (page) => {
          await isShown(page, "state-expired")
          await isAccessible(page)
          await page.getByTestId("return").click()
          await page.waitForURL(`${shop}/sorry`)
        })
      }
      yield* visit(new URL("/pay/7", baseUrl).href, async (page) => {
        await isShown(page, "missing")
        await isAccessible(page)
      })
      yield* visit(nextStep(declined)["redirectUrl"] ?? "", async (page) => {
        await page.getByText(translations.en.reasons[51]).waitFor()
        await isAccessible(page)
      })
    },
    { intentLifetime: "30 minutes" }
  )

  test("the order is folded on a phone and open on a desktop; a frame shows the form alone", function* (shop) {
    const { iframeUrl, redirectUrl } = yield* intentAt(urlsOf(shop))
    for (const [width, isOpen] of [
      [390, false],
      [1280, true]
    ] as const) {
      const look = async (page: Page) => {
        const title = page.getByTestId("order-title")
        assert.strictEqual(await title.isVisible({}), isOpen)
        if (!isOpen) await page.locator(".order summary").click()
        await title.waitFor({ state: "visible" })
        const top = async (id: string) => (await page.getByTestId(id).boundingBox())?.y ?? 0
        assert.isBelow(await top("pay-WALLET"), await top("card-number"))
      }
      yield* visit(redirectUrl, look, { viewport: { width, height: 844 } })
    }
    yield* visit(iframeUrl, async (page) => {
      assert.strictEqual(await page.getByTestId("amount").textContent(), "€10.50")
      assert.strictEqual(await page.getByTestId("order-title").count(), 0)
      assert.strictEqual(await page.getByTestId("merchant").count(), 0)
      const width = async (selector: string) => (await page.locator(selector).boundingBox())?.width
      assert.strictEqual(await width(".test"), await width("main"))
    })
  })

  test("a pressed button looks busy while the next page loads", function* (shop) {
    const { redirectUrl } = yield* intentAt(urlsOf(shop))
    yield* visit(redirectUrl, async (page) => {
      const button = page.getByTestId("pay-WALLET")
      const opacity = () => button.evaluate((element) => getComputedStyle(element).opacity)
      assert.strictEqual(await opacity(), "1")
      await button.hover()
      await page.mouse.down()
      assert.strictEqual(await opacity(), "0.6")
      await page.mouse.move(0, 0)
      await page.mouse.up()
      assert.strictEqual(await opacity(), "0.6")
    })
  })

  test("the page fits a phone, a tablet and a desktop", function* (shop) {
    const { redirectUrl } = yield* intentAt(urlsOf(shop))
    for (const width of [320, 390, 768, 1280]) {
      const fits = async (page: Page) => {
        const edges = await page.evaluate(() =>
          Array.from(document.querySelectorAll("html, input, button, dd, summary"), (element) =>
            Math.ceil(element.getBoundingClientRect().right)
          )
        )
        assert.isAtMost(Math.max(...edges), width)
      }
      yield* visit(redirectUrl, fits, { viewport: { width, height: 700 } })
    }
  })

  test("takes the screenshot of the page", function* (shop) {
    const { redirectUrl } = yield* intentAt({ ...urlsOf(shop), amount: "42.90" })
    const take = async (page: Page) => {
      await page.getByTestId("card-number").fill("4242 4242 4242 4242")
      await page.getByTestId("card-expiry").fill("04 / 30")
      await Picture.shows(page, "hosted-page.png", 150_000)
    }
    yield* visit(redirectUrl, take, { viewport: { width: 1000, height: 760 } })
  })
})
