import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Page } from "playwright-core"
import { assert, expect, it } from "vitest"
import * as Sandbox from "../src/Sandbox.ts"
import { payment } from "@pawl/test-support/TestGateway"
import { isAccessible } from "./support/axe.ts"
import { faultsOf } from "./support/browser.ts"
import { inChromium, type PageOptions } from "./support/chromium.ts"
import { createAt, intentAt } from "./support/customer.ts"
import { cutOff } from "./support/layout.ts"
import * as Picture from "./support/picture.ts"
import { api, pay, runWith } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const origin = Effect.map(Sandbox.Sandbox, ({ baseUrl }) => new URL(baseUrl).origin)

const shop = Effect.suspend(() => {
  const merchant = { answer: 200 }
  return Effect.map(
    receiver(() => [merchant.answer]),
    ({ received, url }) => Object.assign(merchant, { callbackUrl: `${url}/callback`, received })
  )
})

const hostile = [
  "<img src=x onerror=\"document.title='pwned'\">",
  "</script><script>document.title='pwned'</script>",
  "<svg/onload=document.title='pwned'>",
  "javascript:document.title='pwned'",
  "\"><iframe src=//evil.example></iframe><b onclick='",
  "{{constructor.constructor('document.title=1')()}}"
]

const visible = (page: Page, testId: string, text: string | RegExp) =>
  page.getByTestId(testId).filter({ hasText: text }).first().waitFor()

const live = (page: Page) => visible(page, "connection", /^Live$/u)

const advance = async (page: Page, duration: string) => {
  await page.getByTestId("open-clock").click()
  await page.getByTestId("advance").fill(duration)
  await page.getByTestId("advance-clock").click()
}

type Services = Sandbox.Services | Scope.Scope

type Run = <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>

type Act = (page: Page, run: Run) => Promise<unknown>

interface Options extends PageOptions {
  readonly path?: string
  readonly allowed?: RegExp
  readonly sandbox?: Sandbox.Options
}

inChromium((withPage) => {
  /** Fails if the page raises an error or sends a request to another host. */
  const visit = (
    path: string,
    act: Act,
    { allowed, ...options }: PageOptions & { readonly allowed?: RegExp } = {}
  ): Effect.Effect<void, never, Services> =>
    Effect.gen(function* () {
      const home = yield* origin
      const run = Effect.runPromiseWith(yield* Effect.context<Services>())
      yield* Effect.promise(() =>
        withPage(async (page) => {
          const faults = faultsOf(page, home, allowed)
          await page.goto(home + path)
          await act(page, run)
          assert.deepStrictEqual(faults, [])
        }, options)
      )
    })

  const test = (name: string, act: Act, { path = "/", sandbox = {}, ...options }: Options = {}) =>
    it(`on the console: ${name}`, () => runWith(sandbox, visit(path, act, options)))

  const does = (act: () => Promise<unknown>) => Effect.asVoid(Effect.promise(act))

  test("a payment made while the console is open updates on the page", async (page, run) => {
    const merchant = await run(shop)
    await visible(page, "empty", "No transactions yet")
    const { callbackUrl } = merchant
    const id = await run(pay({ callbackUrl, order: { orderId: "A-1041", title: "Espresso" } }))
    await visible(page, `transaction-${id}`, /10\.50 EUR.*SUCCEED.*A-1041/su)
    await visible(page, "status", "SUCCEED")
    await visible(page, "story", "All 4 callbacks were delivered.")
    assert.match(
      (await page.getByTestId("story").textContent()) ?? "",
      /^Succeeded .+ after it was created\./u
    )
    assert.deepStrictEqual(await page.getByTestId("steps").locator(".name").allTextContents(), [
      "NEW",
      "PENDING",
      "PROCESSING",
      "SUCCEED"
    ])
    assert.strictEqual(await page.getByTestId("steps").getByText("delivered").count(), 4)
    const types = page.getByTestId("timeline").locator("li")
    const kinds = await types.evaluateAll((all) => all.map((one) => one.dataset["type"]))
    assert.deepStrictEqual(kinds.slice(0, 2), ["request", "status"])
    assert.lengthOf(kinds, 1 + 4 + 4)
    assert.include(await page.title(), "SUCCEED")
    // The page names the header without its value.
    const { received } = merchant
    const text = (await page.textContent("body")) ?? ""
    assert.include(text, "signed in X-Checksum")
    assert.notInclude(text, String(received[0]?.headers["x-checksum"]))
  })

  test("an empty console makes the first payment with a button, and shows programs that do the same", async (page) => {
    const programs = [
      ["curl", "bash", "-c"],
      ["node", process.execPath, "--input-type=module", "-e"],
      ["python", "python3", "-c"]
    ] as const
    const texts: Array<string> = []
    for (const [name] of programs) {
      await page.getByTestId(`tab-${name}`).click()
      await page.getByTestId(name).waitFor({ state: "visible" })
      texts.push((await page.getByTestId(name).textContent()) ?? "")
    }
    await page.keyboard.press("ArrowRight")
    await page.getByTestId("curl").waitFor({ state: "visible" })
    assert.isFalse(await page.getByTestId("python").isVisible())
    const { origin } = new URL(page.url())
    await visible(page, "empty", `trigger succeed --base-url ${origin}/api`)
    await page.getByTestId("scenario").selectOption("decline:51")
    await page.getByTestId("trigger").click()
    await visible(page, "transaction-100001", "10.50 EUR")
    await visible(page, "story", /^Declined .+, with code 51\. It has no callbackUrl/u)
    const made = await Promise.all(
      programs.map(([, file, ...args], at) => promisify(execFile)(file, [...args, texts[at] ?? ""]))
    )
    for (const { stdout } of made) assert.match(stdout, /transactionStatus['"]?: ?['"]NEW/u)
  })

  test("the first payment is made on a page that another machine serves by HTTP", async (page) => {
    // Chromium takes every page of this machine for a secure one, which has both.
    await page.evaluate(`delete Crypto.prototype.randomUUID
      Object.defineProperty(navigator, "clipboard", { value: undefined })`)
    await page.getByTestId("copy").first().click()
    await visible(page, "empty", "Select the text and copy it.")
    await page.getByTestId("trigger").click()
    await visible(page, "transaction-100001", "10.50 EUR")
  })

  test("an address with a lone percent sign does not stop the page", live, {
    path: "/#/transactions/50%"
  })

  test(
    "the first payment says that the sandbox has other credentials",
    async (page) => {
      await page.getByTestId("trigger").click()
      await visible(page, "triggered", "started with other credentials")
    },
    { allowed: /401/u, sandbox: { merchantKey: "other" } }
  )

  test("the move button gives a status for good, and sends the callback", async (page, run) => {
    const { callbackUrl, received } = await run(shop)
    await run(pay({ callbackUrl, scenario: "stuck" }))
    await visible(page, "story", "It stays in PROCESSING: its scenario has ended.")
    await page.getByTestId("move-to").selectOption("FAILED")
    await page.getByTestId("decline-code").fill("51")
    // The form still moves the transaction that it showed.
    const next = await run(pay({ requestId: "r-2", amount: "2.00" }))
    await page.getByTestId(`transaction-${next}`).waitFor()
    await page.getByTestId("move").click()
    await visible(page, "announcement", /^100001 (?:was moved to|is now) FAILED/u)
    await visible(page, "step-FAILED", "delivered")
    await visible(page, "story", /^Declined .+, with code 51\. All 4 callbacks/u)
    assert.strictEqual(received.at(-1)?.body.transactionStatus, "FAILED")
  })

  test("the resend button sends a callback again", async (page, run) => {
    const { callbackUrl, received } = await run(shop)
    await run(pay({ callbackUrl }))
    await visible(page, "step-SUCCEED", "delivered")
    await page.getByTestId("resend-2").click()
    await visible(page, "announcement", "The callback PENDING of 100001 was sent again.")
    await visible(page, "delivery-5", "PENDING was answered 200")
    await visible(page, "step-PENDING", /delivered twice$/u)
    assert.lengthOf(received, 5)
    assert.strictEqual(received.at(-1)?.body.transactionStatus, "PENDING")
  })

  test("an advance of the clock by 62 minutes delivers everything that falls due", async (page, run) => {
    const merchant = await run(shop)
    merchant.answer = 503
    await run(pay({ callbackUrl: merchant.callbackUrl, scenario: "decline:5" }))
    await visible(page, "story", /2 of 2 callbacks were answered 503; the next attempt is due at/u)
    await page.getByTestId("status-filter").selectOption("undelivered")
    await visible(page, "transaction-100001", "undelivered callback")
    await advance(page, "3 minutes")
    await visible(page, "step-FAILED", "got 503 · 2 attempts")
    await page.getByTestId("nav-requests").click()
    await page.getByTestId("requests").locator("tbody tr").first().waitFor()
    await page.getByTestId("nav-transactions").click()
    await advance(page, "59 minutes")
    await visible(page, "step-FAILED", "got 503 · 6 attempts, dropped")
    await visible(page, "story", "2 of 2 callbacks were answered 503 and were dropped.")
    await visible(page, "advanced", "+1 h 2 min")
    assert.lengthOf(merchant.received, 12)
    assert.match((await page.getByTestId("delivery-12").textContent()) ?? "", /^\+1 h 2 min/u)
    await advance(page, "1 day")
    await page.getByTestId("nav-requests").click()
    await visible(page, "requests", /\d \w+ \d{4}, [\d:]{8}/u)
  })

  test(
    "shows the error of an invalid duration, and leaves the dialog open",
    async (page) => {
      await live(page)
      await advance(page, "soon")
      await page.getByTestId("clock-dialog").getByRole("alert").getByText("advance").waitFor()
    },
    { allowed: /status of 400/u }
  )

  test("a fault strikes the next request, is counted, and can be cleared", async (page, run) => {
    const create = Effect.map(api("POST", "/v1/payments/apm", payment()), ({ status }) => status)
    await live(page)
    await page.getByTestId("open-faults").click()
    await page.getByTestId("fault-endpoint").selectOption("POST /v1/payments/apm")
    await page.getByTestId("fault-kind").selectOption("503")
    await page.getByTestId("fault-times").fill("2")
    await page.getByTestId("set-fault").click()
    await visible(page, "faults", "POST /v1/payments/apm 503, 2 more")
    await visible(page, "fault-count", "1")
    assert.strictEqual(await run(create), 503)
    await visible(page, "faults", "POST /v1/payments/apm 503, 1 more")
    await page.getByTestId("clear-faults").click()
    await visible(page, "fault-count", "0")
    await page.keyboard.press("Escape")
    await page.getByTestId("nav-requests").click()
    await visible(page, "requests", /POST \/api\/v1\/payments\/apm\s*503.*503/u)
    assert.strictEqual(await run(create), 200)
  })

  test("a reset removes everything", async (page, run) => {
    const id = await run(pay())
    await page.getByTestId(`transaction-${id}`).waitFor()
    await page.getByTestId("open-reset").click()
    await page.getByTestId("reset").click()
    await visible(page, "empty", "No transactions yet")
    assert.strictEqual(await page.getByTestId(`transaction-${id}`).count(), 0)
    await page.getByTestId("nav-requests").click()
    await visible(page, "requests", "No requests yet.")
  })

  test("a transaction has a URL, which works after a reload and in another tab", async (page, run) => {
    const older = await run(pay({ requestId: "r-1", amount: "1.00" }))
    await run(pay({ requestId: "r-2", amount: "2.00" }))
    await visible(page, "title", "2.00 EUR")
    await page.getByTestId(`transaction-${older}`).click()
    await visible(page, "title", "1.00 EUR")
    const { pathname, hash } = new URL(page.url())
    await run(pay({ requestId: "r-3", amount: "3.00" }))
    await page.getByTestId("transaction-100003").waitFor()
    await visible(page, "title", "1.00 EUR")
    await page.reload()
    await visible(page, "title", "1.00 EUR")
    expect(await page.getByTestId(`transaction-${older}`).getAttribute("aria-current")).toBe("true")
    await run(visit(pathname + hash, (other) => visible(other, "title", "1.00 EUR")))
    await run(
      visit("/#/transactions/7", (other) => visible(other, "missing", "There is no transaction 7"))
    )
  })

  test("D04: any text of a merchant is shown only as text", async (page, run) => {
    const [title = "", name = "", first = "", second = "", third = "", fourth = ""] = hostile
    const id = await run(
      pay({
        requestId: title,
        callbackUrl: undefined,
        order: { orderId: name, title, name: first, siteId: second },
        apmPayload: { paymentMethod: third },
        metadata: { [fourth]: first, cart: second }
      })
    )
    await page.getByTestId(`transaction-${id}`).waitFor()
    await visible(page, "properties", title)
    const [create] = await page.getByTestId("timeline").getByRole("listitem").all()
    assert.include(await create?.textContent(), "POST /api/v1/payments/apm")
    const text = (await page.textContent("body")) ?? ""
    for (const entered of [title, name, first, second, third, fourth]) assert.include(text, entered)
    await page.getByTestId("search").fill(first)
    await visible(page, "tally", "1 of 1 transaction matches.")
    assert.strictEqual(await page.locator("main img, main iframe, main svg, main b b").count(), 0)
    assert.notInclude(await page.title(), "pwned")
    await run(
      visit("/#/transactions/%3Cimg%20src=x%20onerror=alert(1)%3E", (other) =>
        visible(other, "missing", "<img src=x onerror=alert(1)>")
      )
    )
  })

  test("subscriptions and intents are listed with links to their charges and pages", async (page, run) => {
    const { redirectUrl } = await run(intentAt({ order: { orderId: "T-9", title: "Tea" } }))
    const { cardToken } = await run(createAt("/payments/card/tokenize"))
    await run(createAt("/payments/card/recurring", { cardToken }))
    await page.getByTestId("nav-intents").click()
    await visible(page, "intents", /PAYMENT.*open.*10\.50 EUR.*T-9/u)
    const link = page.getByTestId("intents").getByText("Hosted page")
    assert.strictEqual(await link.getAttribute("href"), redirectUrl)
    await page.getByTestId("nav-subscriptions").click()
    await visible(page, "subscriptions", "ACTIVE")
    await page.getByTestId("subscriptions").getByRole("link").last().click()
    await visible(page, "properties", "Charge of")
  })

  test("the list can be searched, filtered, and used by keyboard alone", async (page, run) => {
    for (const [at, scenario] of ["succeed", "decline:5", "cancel"].entries()) {
      await run(pay({ requestId: `r-${at}`, scenario, order: { orderId: `A-${at}` } }))
    }
    await visible(page, "transaction-100003", "CANCELLED")
    await visible(page, "transaction-100001", "SUCCEED")
    await page.keyboard.press("/")
    await page.keyboard.type("a-1")
    await visible(page, "tally", "1 of 3 transactions matches.")
    await page.getByTestId("search").fill("")
    await page.getByTestId("status-filter").selectOption("SUCCEED")
    await visible(page, "tally", "1 of 3 transactions matches.")
    await page.getByTestId("status-filter").selectOption("")
    await visible(page, "tally", "3 transactions.")
    await page.getByTestId("status-filter").focus()
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await visible(page, "properties", "100002")
    await page.getByTestId("copy-100002").waitFor()
    const at = page.getByTestId("timeline").locator("time").first()
    assert.match((await at.getAttribute("title")) ?? "", /^[\d-]{10} [\d:]{8} UTC$/u)
    expect(await page.evaluate("document.activeElement.dataset.testid")).toBe("transaction-100002")
    await page.getByTestId("move-to").selectOption("FAILED")
    await page.getByTestId("decline-code").fill("x")
    await page.getByTestId("move-to").selectOption("SUCCEED")
    await page.getByTestId("move").focus()
    await page.keyboard.press("Enter")
    await visible(page, "step-SUCCEED", "SUCCEED")
    assert.strictEqual(await page.evaluate("document.activeElement.dataset.testid"), "move")
  })

  test(
    "misses no change while it reads the lists",
    async (page, run) => {
      const paying = Effect.runPromiseWith(await run(Effect.context<Sandbox.Sandbox>()))
      await live(page)
      await page.addInitScript(listen)
      await page.route(
        "**/sandbox/transactions",
        async (route) => {
          const response = await route.fetch()
          await paying(pay({ amount: "7.77", scenario: "stuck" }))
          while (!(await page.evaluate(streamText)).includes(`"status":"PROCESSING"`));
          await route.fulfill({ response })
        },
        { times: 1 }
      )
      await page.reload()
      await visible(page, "title", "7.77 EUR")
      await visible(page, "status", "PROCESSING")
    },
    { isNew: true }
  )

  it("reconnects to a sandbox that was restarted on the same port", () =>
    withPage(async (page) => {
      const start = <A>(act: Effect.Effect<A, unknown, Sandbox.Services | Scope.Scope>, port = 0) =>
        runWith({ port }, act)
      const home = await start(origin)
      const port = Number(new URL(home).port)
      const first = Effect.andThen(
        pay({ amount: "1.00" }),
        does(async () => {
          await page.goto(home)
          await visible(page, "title", "1.00 EUR")
          await live(page)
        })
      )
      await start(first, port)
      await visible(page, "connection", "Reconnecting")
      await visible(page, "title", "1.00 EUR")
      // A proxy may answer in its place.
      const gateway = { status: 502, body: "<h1>Bad gateway</h1>" }
      await page.route("**/status", (route) => route.fulfill(gateway), { times: 1 })
      for (const _ of ["a proxy", "nobody"]) {
        await page.evaluate("document.querySelector('[data-testid=error]').textContent = ''")
        await page.getByTestId("move").click()
        await visible(page, "error", "The sandbox does not answer.")
      }
      const second = Effect.andThen(
        pay({ amount: "2.00" }),
        does(async () => {
          await live(page)
          assert.strictEqual(await page.getByTestId("error").textContent(), "")
          await page.getByTestId("nav-transactions").click()
          await visible(page, "title", "2.00 EUR")
        })
      )
      await start(second, port)
    }))

  test(
    "D07: asks for the token of a sandbox that has one, and again after a wrong one",
    async (page) => {
      for (const token of ["wrong", "s3cr3t"]) {
        await page.getByTestId("token-dialog").waitFor()
        await page.getByTestId("token").fill(token)
        await page.getByTestId("use-token").click()
      }
      await live(page)
      await page.reload()
      await live(page)
    },
    { allowed: /status of 401/u, sandbox: { token: Redacted.make("s3cr3t") } }
  )

  test("the timeline shows the bodies of requests and callbacks, without their secrets", async (page, run) => {
    const { callbackUrl, received } = await run(shop)
    const metadata = { note: "token 7", "sandbox.scenario": "succeed" }
    await run(createAt("/payments/card", { callbackUrl, metadata }))
    await visible(page, "story", "All 4 callbacks were delivered.")
    const [first, ...rest] = await page.locator(".timeline details summary").all()
    await first?.click()
    await visible(page, "bodies-requests-2", /"number": "•••"[^]*"cvv": "•••"/u)
    await visible(page, "bodies-requests-2", /"note": "token 7"[^]*"transactionId": "100001"/u)
    for (const summary of rest) await summary.click()
    await visible(page, "bodies-deliveries-4", `"transactionStatus": "SUCCEED"`)
    const shown = await page.getByTestId("bodies-deliveries-4").locator("pre").textContent()
    assert.deepStrictEqual(JSON.parse(shown ?? ""), received[3]?.body)
    const text = (await page.textContent("body")) ?? ""
    for (const secret of ["4242424242424242", `"737"`]) assert.notInclude(text, secret)
    await isAccessible(page)
    // A body that a person reads stays open while the merchant polls.
    const poll = api("GET", "/v1/payments/card/status/100001")
    await run(poll)
    await page.locator(".timeline details:not([open]) summary").click()
    await run(poll)
    await visible(page, "timeline", "answered 200 · 2 times")
    assert.isTrue(await page.evaluate("document.activeElement.parentElement.open"))
  })

  test("nothing is cut off on a phone of 390 px", async (page, run) => {
    const { callbackUrl } = await run(shop)
    const order = { orderId: "A-".repeat(30), title: "Espresso machine ".repeat(6) }
    await run(pay({ callbackUrl, order, requestId: "r".repeat(60), scenario: "refund+duplicate" }))
    await run(intentAt({ order, requestId: "i".repeat(60) }))
    const { cardToken } = await run(createAt("/payments/card/tokenize"))
    await run(createAt("/payments/card/recurring", { cardToken }))
    await page.setViewportSize({ width: 390, height: 844 })
    for (const view of ["subscriptions", "intents", "requests", "transactions"]) {
      await page.getByTestId(`nav-${view}`).click()
      await page.locator(`#${view}:not([hidden])`).waitFor()
      assert.deepStrictEqual(await page.evaluate(cutOff), [], view)
    }
    await page.getByTestId("transaction-100001").click()
    await visible(page, "step-REFUNDED", /delivered twice$/u)
    for (const one of await page.locator(".timeline details summary").all()) await one.click()
    await visible(page, "bodies-deliveries-1", "transactionStatus")
    assert.deepStrictEqual(await page.evaluate(cutOff), [])
    const box = async (selector: string) => {
      const { height = 0, y = 0 } = (await page.locator(selector).boundingBox()) ?? {}
      return { height, y }
    }
    await page.getByTestId("open-faults").click()
    assert.strictEqual((await box("#rate")).y, (await box("#times")).y)
    assert.isBelow((await box(".bar nav")).height, 40)
    await page.setViewportSize({ width: 1024, height: 844 })
    assert.isBelow((await box(".bar")).height, 60)
  })

  for (const colorScheme of ["light", "dark"] as const) {
    test(
      `every view is accessible, in ${colorScheme} colours`,
      async (page, run) => {
        const { callbackUrl } = await run(shop)
        for (const [at, scenario] of everyStatus.entries()) {
          await run(pay({ requestId: `r-${at}`, scenario, callbackUrl }))
        }
        await run(pay({ requestId: "lost", callbackUrl: "http://127.0.0.1:9/cb" }))
        await visible(page, "transaction-100007", "SUCCEED")
        await visible(page, "story", "the sandbox does not post there")
        await isAccessible(page)
        const announcement = page.getByTestId("announcement")
        assert.strictEqual(await announcement.getAttribute("aria-live"), "polite")
        for (const view of ["subscriptions", "intents", "requests"]) {
          await page.getByTestId(`nav-${view}`).click()
          await isAccessible(page)
        }
        await page.goto(new URL("/nothing", page.url()).href)
        await page.getByRole("heading", { name: "nothing at this address" }).waitFor()
        await isAccessible(page)
      },
      { colorScheme, allowed: /status of 404/u }
    )
  }

  test(
    "the documentation shows every endpoint, without a network or external links",
    async (page) => {
      const shown = page.getByText("Starts a payment by an alternative payment method").first()
      await shown.waitFor({ timeout: 120_000 })
      await page.getByText("Cancels a subscription").first().waitFor()
      const response = page.locator(".response-card").first()
      await response.getByText("header.claims.signature").waitFor({ timeout: 60_000 })
      const hosts = await page
        .locator("a[href^=http]")
        .evaluateAll((all) => all.map((one) => new URL((one as HTMLAnchorElement).href).host))
      const own = new URL(page.url()).host
      expect(hosts.filter((host) => host !== own && host !== "www.scalar.com")).toStrictEqual([])
      assert.strictEqual(await page.locator("html").getAttribute("lang"), "en")
      const copy = page.locator("button.code-copy")
      await copy.first().waitFor({ state: "attached" })
      const names = await copy.evaluateAll((all) => all.map((one) => one.ariaLabel))
      assert.deepStrictEqual([...new Set(names)], ["Copy"])
      assert.strictEqual(await page.locator("button[aria-selected]:not([role=tab])").count(), 0)
      await page.getByRole("link", { name: "Console of the sandbox" }).click()
      await live(page)
    },
    { path: "/docs" }
  )

  test(
    "takes the screenshot of the console",
    async (page, run) => {
      const merchant = await run(shop)
      const { callbackUrl } = merchant
      for (const [at, [scenario, amount, title]] of stories.entries()) {
        const order = { orderId: `A-${1041 + at}`, title }
        if (at === stories.length - 1) merchant.answer = 503
        await run(pay({ requestId: `cart-${at + 1}`, amount, scenario, order, callbackUrl }))
        await page.getByTestId(`transaction-${100_001 + at}`).waitFor()
      }
      await visible(page, "story", "4 of 4 callbacks were answered 503")
      merchant.answer = 200
      await advance(page, "2 minutes")
      await visible(page, "story", "All 4 callbacks were delivered.")
      await page.getByTestId("announcement").evaluate((element) => (element.textContent = ""))
      await Picture.shows(page, "console.png", 200_000)
    },
    { viewport: { width: 1280, height: 880 }, sandbox: { pace: "150 millis" } }
  )
})

const everyStatus = ["succeed", "decline:5", "cancel", "refund", "chargeback", "stuck"]

const stories = [
  ["stuck", "1200.00", "Office chairs"],
  ["refund", "15.00", "Cold brew kit"],
  ["challenge", "89.90", "Grinder"],
  ["decline:51", "240.00", "Espresso machine"],
  ["chargeback", "7.25", "Filter papers"],
  ["cancel", "31.40", "Milk jug"],
  ["succeed", "64.00", "Darjeeling First Flush"],
  ["succeed", "19.99", "Two cups"]
] as const

/** Records the chunks of streams. Runs in the page. */
const listen = () => {
  const { prototype } = ReadableStreamDefaultReader
  const { read } = prototype
  prototype.read = function (this: ReadableStreamDefaultReader<unknown>) {
    return read.call(this).then((chunk) => {
      document.documentElement.dataset["streamText"] += String(chunk.value)
      return chunk
    })
  }
}

/** Runs in the page. */
const streamText = () => document.documentElement.dataset["streamText"] ?? ""
