import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Page, Route } from "playwright-core"
import { assert, it } from "vitest"
import { isAccessible } from "./support/axe.ts"
import { faultsOf } from "./support/browser.ts"
import { inChromium, type PageOptions } from "./support/chromium.ts"
import { cutOff } from "./support/layout.ts"
import * as Operator from "./support/operator.ts"
import * as Picture from "./support/picture.ts"

/** Makes the page update ten times a second, instead of every two seconds. */
const until = async (page: Page, found: Promise<void>): Promise<void> => {
  const isFound = found.then(() => true)
  for (;;) {
    await page.evaluate(`document.dispatchEvent(new Event("visibilitychange"))`)
    if (await Promise.race([isFound, page.waitForTimeout(100).then(() => false)])) return
  }
}

const visible = (page: Page, testId: string, text: string | RegExp) =>
  until(page, page.getByTestId(testId).filter({ hasText: text }).first().waitFor())

const gone = (page: Page, testId: string) =>
  until(page, page.getByTestId(testId).waitFor({ state: "hidden" }))

const redrive = async (page: Page, why: string) => {
  await page.getByTestId("by").fill("ana")
  await page.getByTestId("why").fill(why)
  await page.getByTestId("redrive").click()
}

const find = async (page: Page, text: string) => {
  await page.getByTestId("id").fill(text)
  await page.getByTestId("find").click()
}

interface Overview {
  readonly at: string
}

const changeOverview = (page: Page, change: (overview: Overview) => object) =>
  page.route("**/overview", async (route) => {
    const response = await route.fetch()
    const overview = (await response.json()) as Overview
    await route.fulfill({ response, json: { ...overview, ...change(overview) } })
  })

const focused = (page: Page) => page.evaluate("document.activeElement.textContent")

const hostile = "<img src=x onerror=\"document.title='pwned'\">"

const run = <A>(effect: Effect.Effect<A, unknown>) => Effect.runPromise(effect)

interface Options extends PageOptions {
  readonly admin?: Operator.Options
}

type Operated = Operator.Operator & {
  /** Opens a path of the page, on which these console errors of the browser are expected. */
  readonly open: (path?: string, allowed?: RegExp) => Promise<Page>
}

inChromium((withPage) => {
  /** Declares a test, which fails if the page raises an error or sends a request to another host. */
  const test = (
    name: string,
    act: (operator: Operated) => Promise<unknown>,
    { admin, ...options }: Options = {}
  ) =>
    it(`on the admin page: ${name}`, () =>
      Effect.gen(function* () {
        const operator = yield* Operator.start(admin)
        yield* Effect.promise(() =>
          withPage(async (page) => {
            let faults: ReadonlyArray<string> = []
            const open: Operated["open"] = async (path = "/", allowed) => {
              faults = faultsOf(page, operator.origin, allowed)
              await page.goto(operator.origin + path)
              return page
            }
            await act({ ...operator, open })
            assert.deepStrictEqual(faults, [])
          }, options)
        )
      }).pipe(Effect.scoped, Effect.runPromise))

  const admin = {
    secrets: [
      { name: "PAWL_MERCHANT_SECRET", isSet: true, use: "verifies callbacks, signs requests" },
      {
        name: "PAWL_MERCHANT_SECRET_PREVIOUS",
        isSet: true,
        use: "verifies callbacks until the service has switched"
      },
      { name: "PAWL_ADMIN_TOKEN", isSet: false, use: "opens this page from another machine" }
    ]
  }

  test("says that everything works, and counts and plots the callbacks since the process started", async (operator) => {
    const { callback, open, statuses } = operator
    statuses.set("100001", "SUCCEED")
    await callback("100001", "SUCCEED")
    const page = await open()
    await visible(page, "verdict", "Everything works")
    await visible(page, "connection", /^Live$/u)
    await visible(page, "figure-store", "Writable")
    await callback("100002", "PENDING")
    await visible(
      page,
      "figure-callbacks-stored",
      /^Callbacks stored20 refused, since this process started at \d/u
    )
    await visible(page, "alarms", "No alarm")
    assert.isTrue(await page.getByRole("heading", { name: "Secrets" }).isHidden())
    assert.strictEqual(await callback("100003", "PENDING", { secret: "other" }), 401)
    await visible(page, "figure-callbacks-stored", /^Callbacks stored21 refused,/u)
    const plot = page.getByTestId("figure-callbacks-stored").getByRole("img")
    assert.match(
      (await plot.getAttribute("aria-label")) ?? "",
      /^Callbacks in each minute of the last hour: at most [23], with 1 refused$/u
    )
    assert.match((await plot.locator(".bad").getAttribute("d")) ?? "", /^M5[89] 24v-/u)
    assert.strictEqual(await page.getByTestId("figures").getByRole("img").count(), 4)
    await page.reload()
    await visible(page, "figure-callbacks-stored", /^Callbacks stored21 refused,/u)
  })

  test("the headline agrees with the alarms of the last day, and names their transactions", async (operator) => {
    const { callback, open } = operator
    await callback("100001", "SETTLED")
    const page = await open("/", /status of 404/u)
    await visible(page, "verdict", "1 problem needs a person")
    await visible(page, "problems", /a callback in quarantine.*100001.*undocumented/su)
    // A row whose alarm did not change keeps the selected text.
    const row = page.getByTestId("alarms").locator("tbody tr")
    await row.locator("td").first().selectText()
    for (const _ of [1, 2]) await page.waitForResponse("**/overview")
    assert.include(String(await page.evaluate("getSelection().toString()")), "in quarantine")
    let age = 60_000
    let isUnread = false
    await changeOverview(page, ({ at }) => {
      const alarm = {
        reason: "a callback claims a final status that the service contradicts",
        count: 2,
        lastAt: new Date(Date.parse(at) - age).toISOString(),
        method: "apm",
        transactionId: "100001",
        nextStep: "ask the operator"
      }
      return { alarms: [alarm], ...(isUnread && { backlog: null }) }
    })
    await visible(page, "problems", /the service contradicts \(2 times.*100001/su)
    await visible(page, "verdict", "1 problem needs a person")
    age = 25 * 60 * 60_000
    await visible(page, "verdict", "Everything works")
    await visible(page, "alarms", "the service contradicts")
    isUnread = true
    await visible(page, "verdict", "1 problem needs a person")
    assert.match((await page.getByTestId("nav-dead-letters").textContent()) ?? "", /\?/u)
    isUnread = false
    age = 60_000
    await visible(page, "verdict", "1 problem needs a person")
    await page.getByTestId("problems").getByRole("link").click()
    await visible(page, "transaction", "100001")
    await page.unrouteAll({ behavior: "wait" })
  })

  test("the service is down, and answers again", async ({ callback, faults, open, statuses }) => {
    faults.service = "silent"
    await callback("100001", "SUCCEED")
    const page = await open()
    await visible(page, "problem-silent", /The service has not answered.*Do not restart/su)
    statuses.set("100001", "SUCCEED")
    faults.service = "none"
    await callback("100001", "SUCCEED")
    await visible(page, "verdict", "Everything works")
  })

  test("the secret is wrong after a rotation, for callbacks and for reads", async (operator) => {
    const { callback, faults, open } = operator
    const page = await open()
    await visible(page, "verdict", "Everything works")
    assert.strictEqual(await callback("100001", "PENDING", { secret: "other" }), 401)
    await visible(page, "problem-refused", /PAWL_MERCHANT_SECRET_PREVIOUS/u)
    // The service repeats the callback after up to 32 minutes.
    let later = 32
    await changeOverview(page, ({ at }) => ({
      at: new Date(Date.parse(at) + later * 60_000).toISOString()
    }))
    for (const _ of [1, 2]) await page.waitForResponse("**/overview")
    assert.strictEqual(await page.getByTestId("verdict").textContent(), "1 problem needs a person")
    later = 60
    await visible(page, "verdict", "Everything works")
    await page.unrouteAll({ behavior: "wait" })
    await visible(page, "alarms", /callbacks are refused with 401.*check the secret/su)
    faults.service = "denied"
    await callback("100001", "SUCCEED", { secret: "previous" })
    await visible(page, "problem-credentials", "refuses the merchant key")
    await gone(page, "problem-refused")
  })

  test(
    "names the secrets in use, and when a callback last used them, and never a value",
    async ({ callback, open }) => {
      await callback("1", "PENDING", { secret: "previous" })
      await callback("2", "PENDING")
      const page = await open()
      await visible(page, "row-PAWL_MERCHANT_SECRET_PREVIOUS", /yes.*\d\d:\d\d:\d\d/su)
      await visible(page, "row-PAWL_MERCHANT_SECRET", /yes.*\d\d:\d\d:\d\d/su)
      assert.notMatch(await page.content(), /new-secret|old-secret/u)
    },
    { admin }
  )

  test("the disk is full, and has room again", async ({ callback, faults, open }) => {
    faults.isDiskFull = true
    const page = await open()
    await visible(page, "problem-store", "The store cannot be written")
    await visible(page, "figure-store", "Not writable")
    assert.strictEqual(await callback("100001", "PENDING"), 503)
    await visible(page, "alarms", /answered with 503.*check disk/su)
    faults.isDiskFull = false
    await visible(page, "problem-not-stored", /disappears with the first callback/u)
    await callback("100001", "PENDING")
    await visible(page, "verdict", "Everything works")
  })

  test("the store is gone, which the overview says, and is back", async ({ faults, open }) => {
    const page = await open("/", /status of 503/u)
    await visible(page, "verdict", "Everything works")
    faults.isDiskFull = true
    const json = { message: "The ledger is not available" }
    await page.route("**/parked-requests", (route) => route.fulfill({ status: 503, json }))
    await visible(page, "problem-store", /cannot be written/u)
    await visible(page, "figure-parked-requests", /\?.*cannot be read/u)
    assert.match(await page.title(), /^Not ready/u)
    await page.getByTestId("nav-requests").click()
    await visible(page, "error", json.message)
    await page.unrouteAll({ behavior: "wait" })
    faults.isDiskFull = false
    await visible(page, "requests", "No parked requests.")
  })

  test("the handler breaks on one transaction, and is corrected", async (operator) => {
    const { callback, faults, open } = operator
    faults.isHandlerBroken = true
    await callback("100007", "PENDING")
    const page = await open()
    await visible(page, "problem-handler", /fails for 1 transaction/u)
    await visible(page, "failing", /100007\s*PENDING\s*[1-9]/u)
    await page.getByTestId("failing").getByRole("link").focus()
    await visible(page, "failing", /100007\s*PENDING\s*[3-9]/u)
    assert.strictEqual(await focused(page), "100007")
    faults.isHandlerBroken = false
    await gone(page, "problem-handler")
    await gone(page, "failing")
  })

  test("a dead letter is redriven by somebody, for a reason", async ({ asked, open, park }) => {
    await park("handler-failed", ["100001"])
    const page = await open()
    await visible(page, "problem-dead-letters", "1 dead letter waits")
    await page.getByTestId("nav-dead-letters").click()
    await visible(page, "letters", /100001.*APM payment.*handler-failed.*PENDING.*24 hours/su)
    await page.getByTestId("redrive-100001").click()
    await page.getByTestId("redrive").click()
    await redrive(page, " ")
    assert.deepStrictEqual(asked, [], "a redrive without who and why was sent")
    await redrive(page, "shop fixed & tested")
    await visible(page, "announcement", "100001 was redriven.")
    await visible(page, "letters", "No dead letters.")
    assert.deepStrictEqual(asked, [
      "/dead-letters/apm/100001/redrive?reason=handler-failed&by=ana&why=shop+fixed+%26+tested"
    ])
  })

  test("dead letters are shown by reason and in pages, and all of a reason are redriven at a rate", async (operator) => {
    const { asked, open, park } = operator
    const ids = Array.from({ length: 130 }, (_, at) => String(200_000 + at))
    await park("handler-failed", ids)
    await park("unknown-transaction", ["300001"])
    const page = await open("/#/dead-letters")
    const shown = page.getByTestId("letters").locator("tbody tr")
    await page.getByTestId("more").waitFor()
    assert.strictEqual(await shown.count(), 100)
    assert.isTrue(await page.getByTestId("redrive-all").isHidden())
    await page.getByTestId("more").click()
    await visible(page, "letters", "300001")
    assert.strictEqual(await shown.count(), 131)
    await page.getByTestId("reason").selectOption("handler-failed")
    await gone(page, "row-apm-payment-300001")
    await page.getByTestId("redrive-all").click()
    await page.getByTestId("rate").fill("5000")
    await page.getByTestId("cancel").click()
    await page.getByTestId("redrive-200000").click()
    await redrive(page, "one first")
    await visible(page, "announcement", "200000 was redriven.")
    await page.getByTestId("redrive-all").click()
    await page.getByTestId("rate").fill("50")
    await redrive(page, "shop repaired")
    await visible(page, "announcement", "129 dead letters will be redriven")
    assert.deepStrictEqual(asked, [
      "/dead-letters/apm/200000/redrive?reason=handler-failed&by=ana&why=one+first",
      "/dead-letters/redrive?reason=handler-failed&by=ana&why=shop+repaired&rate=50"
    ])
    await visible(page, "letters", "No dead letters.")
  })

  test("another amount is compared with the order, and passes when a person lets it", async (operator) => {
    const { asked, callback, ledger, open } = operator
    const order = { account: "4711", amount: "10.00", currency: "EUR" }
    const registration = { ...order, kind: "apm-payment", transactionId: "100001" } as const
    await run(ledger.register(registration, 0))
    await callback("100001", "PENDING", { amount: "12.00" })
    const page = await open("/#/dead-letters", /status of 404/u)
    await page.getByRole("link", { name: "Compare the amounts" }).click()
    await visible(page, "amounts", "Ordered: 10.00 EUR. Signed in callbacks: 12.00 EUR.")
    await page.getByTestId("open-redrive").click()
    await visible(page, "redrive-text", "Signed in callbacks: 12.00 EUR.")
    await redrive(page, "customer paid the tip")
    await visible(page, "summary", "Callbacks claim PENDING, and the handler has received it.")
    assert.deepStrictEqual(asked, [
      "/dead-letters/apm/100001/redrive?reason=amount-mismatch&by=ana&why=customer+paid+the+tip"
    ])
    assert.strictEqual(await page.getByTestId("letter").count(), 0)
    await callback("100001", "PROCESSING", { amount: "12.00" })
    await visible(page, "properties", "PROCESSING")
  })

  test("a parked request is sent again by a person who asked the service", async (operator) => {
    const { asked, open, parkRequest } = operator
    await parkRequest("order-1")
    const page = await open("/", /status of 404/u)
    await visible(page, "problem-requests", "1 parked request waits")
    await page.getByTestId("nav-requests").click()
    await visible(page, "requests", /order-1.*window.*hadNoEffect/su)
    await page.getByTestId("redrive-order-1").click()
    await redrive(page, "the service does not know it")
    await visible(page, "redrive-error", "Not found")
    await page.getByTestId("no-effect").check()
    await page.getByTestId("redrive").click()
    await visible(page, "requests", "No parked requests.")
    assert.match(asked.at(-1) ?? "", /^\/requests\/order-1\/redrive\?.*hadNoEffect=true$/u)
  })

  test("more requests may be parked than the page reads", async ({ open, parkRequest }) => {
    for (let index = 0; index < 101; index++) await parkRequest(`order-${index}`)
    const page = await open()
    await visible(page, "problem-requests", "At least 100 parked requests wait")
    await page.getByTestId("nav-requests").click()
    await visible(page, "requests", "order-0")
    assert.strictEqual(await page.getByTestId("requests").locator("tbody tr").count(), 100)
  })

  test("one transaction is found by its id, and its address works in another tab", async (operator) => {
    const { callback, open } = operator
    await callback("100001", "PENDING")
    const page = await open("/", /status of 404/u)
    await page.getByTestId("nav-transactions").click()
    await page.getByTestId("id").fill("100001")
    await page.getByTestId("id").press("Enter")
    await visible(page, "summary", "Callbacks claim PENDING, and the handler has received it.")
    await page.reload()
    await visible(page, "transaction", "Claimed by callbacksPENDING")
    await visible(page, "properties", "Amount10.00 EUR")
    assert.strictEqual(await page.getByTestId("id").inputValue(), "100001")
    await find(page, "7")
    await visible(page, "found", "The store has no transaction with the order, id or amount “7”.")
    await callback("7", "PENDING")
    await page.getByTestId("find").click()
    await visible(page, "summary", "Callbacks claim PENDING, and the handler has received it.")
  })

  test("a transaction that cannot be read takes the place of the one before it", async ({
    callback,
    open
  }) => {
    await callback("100001", "PENDING")
    const page = await open("/#/transactions/apm/100001", /ERR_FAILED|status of 404/u)
    await visible(page, "transaction", "100001")
    await page.route("**/transactions/apm/100002", (route) => route.abort())
    await page.goto(page.url().replace("100001", "100002"))
    await visible(page, "error", "The receiver does not answer.")
    assert.strictEqual(await page.getByTestId("transaction").textContent(), "")
    await page.unroute("**/transactions/apm/100002")
    await visible(page, "unknown", "The ledger knows no apm transaction 100002.")
  })

  test("an address with a lone percent sign does not stop the page", async ({ open }) => {
    const page = await open("/#/transactions/apm/50%", /status of 404/u)
    await visible(page, "connection", /^Live$/u)
  })

  test("a transaction is found by the order of the shop, or by amount and day, and the recent ones are listed", async (operator) => {
    const { callback, ledger, open } = operator
    const order = { account: "4711", amount: "19.90", currency: "EUR" }
    for (const transactionId of ["100001", "100002"]) {
      const registration = { ...order, transactionId, requestId: `order-${transactionId}` }
      await run(ledger.register({ ...registration, kind: "apm-payment" }, Date.now()))
    }
    await callback("100003", "PENDING")
    const page = await open("/#/transactions", /status of 404/u)
    await visible(page, "row-apm-100003", /10\.00 EUR.*PENDING/su)
    await page.keyboard.press("/")
    await page.keyboard.type("order-100002")
    await page.keyboard.press("Enter")
    await visible(page, "properties", /Orderorder-100002.*Amount19\.90 EUR/su)
    await page.getByTestId("id").fill("19.9")
    await page
      .getByTestId("day")
      .fill(await page.evaluate<string>("new Date().toLocaleDateString('sv')"))
    await page.getByTestId("find").click()
    await visible(page, "found", "2 transactions, the newest first.")
    await visible(page, "row-apm-payment-100001", "order-100001")
    const amounts = page.locator("td[data-label=Amount]")
    const ends = await amounts.evaluateAll((cells) =>
      cells.map((cell) => getComputedStyle(cell).textAlign)
    )
    assert.deepStrictEqual(ends, ["right", "right"])
    await isAccessible(page)
    await page.getByTestId("day").fill("2020-02-03")
    await page.getByTestId("find").click()
    await visible(page, "found", /no transaction .* “19\.9” that was stored on 2020-02-03/u)
    await page.goBack()
    await visible(page, "row-apm-payment-100001", "order-100001")
  })

  test(
    "a day on which the clocks change ends at its midnight, and a list that was cut off says so",
    async ({ ledger, open }) => {
      const order = { amount: "19.90", currency: "EUR", kind: "apm-payment" } as const
      // In Santiago this day began at 1 o'clock.
      const at = Date.parse("2026-09-07T02:30:00Z")
      for (let id = 100_001; id <= 100_200; id++)
        await run(ledger.register({ ...order, transactionId: String(id) }, at))
      const page = await open("/#/transactions")
      const session = await page.context().newCDPSession(page)
      await session.send("Emulation.setTimezoneOverride", { timezoneId: "America/Santiago" })
      await page.reload()
      await page.getByTestId("day").fill("2026-09-06")
      const searched = page.waitForRequest(/transactions\?/u)
      await page.getByTestId("find").click()
      const { searchParams } = new URL((await searched).url())
      assert.strictEqual(searchParams.get("from"), "2026-09-06T04:00:00.000Z")
      assert.strictEqual(searchParams.get("before"), "2026-09-07T03:00:00.000Z")
      await visible(page, "found", "The first 200 transactions that the store returned.")
      await visible(page, "found-transactions", "6 Sept 2026, 23:30:00")
    },
    { isNew: true }
  )

  test("a search that failed is repeated", async ({ callback, open }) => {
    await callback("100001", "PENDING")
    const page = await open("/#/transactions", /status of 50[23]|ERR_FAILED/u)
    const failures: ReadonlyArray<readonly [text: string, fail: (route: Route) => Promise<void>]> =
      [
        [
          "The ledger cannot be read",
          (route) => route.fulfill({ status: 503, json: { message: "The ledger cannot be read" } })
        ],
        [
          "The receiver does not answer",
          (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" })
        ],
        ["The receiver does not answer", (route) => route.abort()]
      ]
    for (const [text, fail] of failures) {
      await page.route("**/transactions?**", fail)
      await find(page, "100001")
      await visible(page, "found", text)
      await page.unrouteAll({ behavior: "wait" })
      await visible(page, "summary", "Callbacks claim PENDING")
      await page.getByTestId("nav-transactions").click()
    }
  })

  test(
    "the story of a transaction in a SQLite ledger is told in sentences, as text",
    async ({ callback, open, park, statuses }) => {
      statuses.set("100001", "NEW")
      await park("handler-failed", ["100001"])
      const page = await open("/#/transactions")
      await find(page, "100001")
      await visible(page, "story", "The operation was registered as apm-payment")
      await page.getByTestId("open-redrive").click()
      await redrive(page, hostile)
      await visible(page, "story", "The handler accepted NEW (transition 1).")
      statuses.set("100001", "SUCCEED")
      await callback("100001", "SUCCEED")
      await visible(page, "story", "The handler accepted SUCCEED (transition 2).")
      const shown = page.getByTestId("story").locator("li")
      const sources = await shown.locator("b").allTextContents()
      const sentences = await shown.locator("span").allTextContents()
      assert.deepStrictEqual(
        sentences.map((sentence, at) => `${sources[at]}: ${sentence}`),
        [
          "Shop: The operation was registered as apm-payment with the status NEW.",
          `Person: ana redrove the dead letter: ${hostile}.`,
          "Service: The service reported NEW.",
          "Application: The handler was called with NEW (transition 1).",
          "Application: The handler accepted NEW (transition 1).",
          "Callback: A callback claimed SUCCEED.",
          "Service: The service reported SUCCEED.",
          "Application: The handler was called with SUCCEED (transition 2).",
          "Application: The handler accepted SUCCEED (transition 2)."
        ]
      )
      assert.strictEqual(await page.locator(".story .good").count(), 2)
      assert.match(
        (await shown.locator("time").first().getAttribute("title")) ?? "",
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/u
      )
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
      await page.getByTestId("copy-100001").click()
      await visible(page, "copy-100001", "Copied")
      assert.strictEqual(await page.evaluate("navigator.clipboard.readText()"), "100001")
      const times = await shown.locator("time").allTextContents()
      assert.isTrue(times.every((time) => /^\d+ \w{3} \d{4}, \d\d:\d\d:\d\d$/u.test(time)))
      assert.strictEqual(await page.locator("main img").count(), 0)
      await isAccessible(page)
    },
    { admin: { store: "sqlite" }, isNew: true }
  )

  test(
    "the reads of a receiver whose read budget is too small, and how late they are",
    async ({ callback, open, statuses }) => {
      const ids = Array.from({ length: 30 }, (_, index) => String(100_001 + index))
      for (const id of ids) statuses.set(id, "SUCCEED")
      for (const id of ids) await callback(id, "SUCCEED")
      const page = await open()
      await visible(page, "figure-reads-per-second", /1 allowed to all receivers/u)
      await visible(
        page,
        "figure-reads-put-off",
        /[1-9]\d* of new claims, 0 of open and 0 of ended transactions; the oldest is \d.* late/u
      )
      await page.reload()
      const shown = page.getByTestId("figure-reads-put-off")
      await shown.waitFor()
      assert.match((await shown.textContent()) ?? "", /^Reads put off[1-9]/u)
      await isAccessible(page)
    },
    { admin: { limits: { readsPerSecond: 1 } } }
  )

  test("text of callbacks and of persons is shown as text", async ({ callback, open, park }) => {
    await park("handler-failed", [hostile])
    await callback(hostile, hostile)
    const page = await open("/", /status of 404/u)
    await visible(page, "alarms", "a callback in quarantine")
    await page.getByTestId("nav-dead-letters").click()
    await visible(page, "letters", hostile)
    const link = page.getByTestId("letters").getByRole("link")
    // A text from right to left does not turn its neighbours.
    const direction = await link.evaluate((element) => getComputedStyle(element).unicodeBidi)
    assert.strictEqual(direction, "isolate")
    await link.click()
    await visible(page, "transaction", hostile)
    assert.strictEqual(await page.locator("main img").count(), 0)
    await callback("\u202e7", hostile)
    await page.goto(page.url().replace(/[^/]+$/u, "%E2%80%AE7"))
    await visible(page, "unknown", "`Ledger.quarantined` lists the callbacks in quarantine.")
    assert.notInclude(await page.title(), "pwned")
    const policy = (await page.request.get(page.url())).headers()["content-security-policy"]
    assert.include(policy, "default-src 'none'; script-src 'self'")
    assert.include(policy, "frame-ancestors 'none'")
  })

  test(
    "asks for the token of a receiver that has one, and again after a wrong one",
    async ({ open }) => {
      const page = await open("/", /status of 401/u)
      // A header cannot have the zero-width space, which a person does not see.
      for (const token of ["s3cr3t\u200b", "wrong", "s3cr3t"]) {
        await visible(page, "token-dialog", token === "s3cr3t" ? "refused" : "required")
        assert.strictEqual(await page.getByTestId("figures").locator("div").count(), 0)
        await page.getByTestId("token").fill(token)
        await page.getByTestId("use-token").click()
      }
      await visible(page, "connection", /^Live$/u)
      assert.strictEqual(await page.getByTestId("token").inputValue(), "")
      await page.reload()
      await visible(page, "connection", /^Live$/u)
    },
    { admin: { token: Redacted.make("s3cr3t") }, isNew: true }
  )

  const prepare = async ({ callback, faults, park, parkRequest, statuses }: Operated) => {
    await park("handler-failed", ["100001", "100002", "1".repeat(60)])
    await park("unknown-transaction", ["100003"])
    await parkRequest("order-17")
    faults.isHandlerBroken = true
    await callback("100014", "PENDING", { secret: "other" })
    // The failing calls look the same, whichever was repeated last.
    for (const id of ["100010", "100011", "100012"]) {
      statuses.set(id, "SUCCEED")
      await callback(id, "SUCCEED", { secret: id === "100011" ? "previous" : "current" })
    }
    await callback("100013", "SETTLED")
  }
  const everyView = ["overview", "dead-letters", "requests", "transactions"]

  for (const [colorScheme, width] of [
    ["light", 390],
    ["dark", 1024],
    ["light", 1600]
  ] as const) {
    test(
      `every view and dialog is accessible and whole, in ${colorScheme} colours at ${width} px`,
      async (operator) => {
        await prepare(operator)
        const page = await operator.open("/", /status of 404/u)
        const look = async () => {
          assert.deepStrictEqual(await page.evaluate(cutOff), [])
          if (width < 1600) await isAccessible(page)
        }
        await visible(page, "problems", /fails for \d transaction/u)
        for (const view of everyView) {
          await page.getByTestId(`nav-${view}`).click()
          await page.locator(`#${view}:not([hidden])`).waitFor()
          if (view === "dead-letters") await visible(page, "letters", "100003")
          if (view === "requests") await visible(page, "requests", "order-17")
          await look()
        }
        await find(page, "1".repeat(60))
        await visible(page, "transaction", "Claimed by callbacks")
        await look()
        await page.getByTestId("open-redrive").click()
        await look()
      },
      { admin, colorScheme, viewport: { width, height: 844 } }
    )
  }

  test(
    "takes the screenshot of the page",
    async (operator) => {
      await prepare(operator)
      const page = await operator.open()
      await visible(page, "problem-handler", "fails for 3 transactions")
      await visible(page, "figure-reads-put-off", "by the read budget")
      await visible(page, "figure-due-now", "no transaction waits")
      await Picture.shows(page, "receiver.png", 250_000)
    },
    { admin: { ...admin, limits: { readsPerSecond: 20 } }, viewport: { width: 1280, height: 1000 } }
  )

  test(
    "takes the screenshot of the story of a payment",
    async ({ callback, ledger, open, statuses }) => {
      const order = { account: "4711", amount: "42.90", currency: "EUR" } as const
      const ids = { transactionId: "100017", requestId: "order-17" }
      await run(ledger.register({ ...order, ...ids, kind: "apm-payment" }, Date.now()))
      statuses.set("100017", "PROCESSING")
      await callback("100017", "PROCESSING", { amount: "42.90" })
      const page = await open("/#/transactions/apm/100017")
      await visible(page, "story", "The handler accepted PROCESSING")
      // A forged callback with the checksum of a genuine one. The page is not waited for, because
      // the service is asked again after some seconds.
      await callback("100017", "FAILED", { amount: "42.90" })
      const isAsked = Effect.map(Effect.orDie(ledger.story("apm", "100017")), ([story]) =>
        story?.facts.some(({ fact }) => fact === "asked")
      )
      await run(
        Effect.repeat(Effect.delay(isAsked, "10 millis"), { until: (held) => held === true })
      )
      statuses.set("100017", "SUCCEED")
      await callback("100017", "SUCCEED", { amount: "42.90" })
      await visible(page, "story", "The handler accepted SUCCEED")
      await callback("100017", "PENDING", { amount: "42.90" })
      await callback("100017", "SUCCEED", { amount: "42.90" })
      await visible(page, "story", "A callback claimed SUCCEED, 2 times")
      await visible(page, "properties", "5 deliveries")
      await Picture.shows(page, "story.png", 150_000, page.getByTestId("transaction"))
    },
    { admin: { store: "sqlite" }, viewport: { width: 900, height: 900 } }
  )
})
