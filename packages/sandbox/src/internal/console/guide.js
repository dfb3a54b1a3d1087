/**
 * The first steps in an empty sandbox: a button that makes a payment, and programs that do the same.
 */
import { h } from "@pawl/receiver/page/dom.js"
import { samples } from "./samples.js"

/**
 * Makes the guide to the first payment.
 *
 * @param {string} origin of the sandbox
 * @param {ReadonlyArray<string>} stories of the scenarios
 */
export const guide = (origin, stories) =>
  h("div", { class: "empty", "data-testid": "empty" }, [
    h("h2", {}, ["No transactions yet"]),
    h("p", {}, ["Make the first payment, and watch its status here:"]),
    trigger(stories),
    h("p", {}, ["Or make it with a program:"]),
    ...programs(origin),
    h("p", { class: "fine" }, [
      "The key and the secret are the defaults; replace them if you started the sandbox with others. In a terminal, ",
      h("code", {}, [`npx pawl-sandbox trigger succeed --base-url ${origin}/api`]),
      " makes a payment and follows it, with your --callback-url if you like. Or use your own client with ",
      h("code", {}, [`${origin}/api`]),
      ", and read ",
      h("a", { href: "/docs" }, ["the API documentation"]),
      "."
    ])
  ])

/**
 * Makes the form that makes a payment with a scenario.
 *
 * @param {ReadonlyArray<string>} stories
 */
const trigger = (stories) => {
  const told = h("span", { role: "status", class: "fine", "data-testid": "triggered" })
  const select = h(
    "select",
    { "aria-label": "Scenario", "data-testid": "scenario" },
    stories.map((story) => h("option", {}, [story]))
  )
  const button = h("button", { class: "main", "data-testid": "trigger" }, ["Make a payment"])
  return h(
    "form",
    {
      class: "trigger",
      submit: (event) => {
        event.preventDefault()
        button.disabled = true
        told.textContent = ""
        pay(select.value)
          .catch((error) => {
            told.textContent = error instanceof Error ? error.message : String(error)
          })
          .finally(() => (button.disabled = false))
      }
    },
    [select, button, told]
  )
}

/**
 * Makes a card payment with the default credentials.
 *
 * @param {string} scenario
 */
const pay = async (scenario) => {
  const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }
  const login = await post("/auth", credentials, "")
  if (login.status === 401) {
    throw new Error(
      `This sandbox was started with other credentials: run npx pawl-sandbox trigger ${scenario} --base-url ${window.location.origin}/api with --merchant-key and PAWL_MERCHANT_SECRET.`
    )
  }
  const { accessToken = "" } = /** @type {{ accessToken?: string }} */ (await login.json())
  const { ok, status } = await post(
    "/payments/card",
    {
      // A page that another machine serves by HTTP has no randomUUID.
      requestId: `console-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`,
      mid: "1",
      amount: "10.50",
      currency: "EUR",
      card: { number: "4242424242424242" },
      metadata: { "sandbox.scenario": scenario }
    },
    accessToken
  )
  if (!ok) throw new Error(`The response was ${status}: is a fault set?`)
}

/**
 * @param {string} path
 * @param {object} body
 * @param {string} token
 */
const post = (path, body, token) =>
  fetch(`/api/v1${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify(body)
  })

/**
 * Makes the tabs of the programs. The arrow keys change the tab.
 *
 * @param {string} origin
 */
const programs = (origin) => {
  const panels = samples.map(({ name, write }) => {
    const lines = write(origin)
    return h(
      "div",
      {
        role: "tabpanel",
        id: `program-${name}`,
        class: "program",
        "aria-labelledby": `tab-${name}`
      },
      [
        h("pre", { tabindex: "0" }, [h("code", { "data-testid": name.toLowerCase() }, [lines])]),
        copy(lines)
      ]
    )
  })
  const tabs = samples.map(({ name }, at) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${name}`,
        "aria-controls": `program-${name}`,
        "data-testid": `tab-${name.toLowerCase()}`,
        click: () => show(at)
      },
      [name]
    )
  )
  const show = (/** @type {number} */ shown) => {
    for (const [at, tab] of tabs.entries()) {
      tab.ariaSelected = String(at === shown)
      tab.tabIndex = at === shown ? 0 : -1
      const { [at]: panel } = panels
      if (panel !== undefined) panel.hidden = at !== shown
    }
  }
  show(0)
  const keydown = (/** @type {Event} */ event) => {
    const step =
      event instanceof KeyboardEvent ? { ArrowRight: 1, ArrowLeft: -1 }[event.key] : undefined
    if (step === undefined) return
    const at = tabs.findIndex((tab) => tab === document.activeElement)
    const next = (at + step + tabs.length) % tabs.length
    show(next)
    tabs[next]?.focus()
  }
  return [
    h("div", { role: "tablist", "aria-label": "Programs", class: "tabs", keydown }, tabs),
    ...panels
  ]
}

/**
 * Makes the button that copies a program.
 *
 * @param {string} lines
 */
const copy = (lines) => {
  const copied = h("span", { role: "status", class: "fine" })
  const write = async () => navigator.clipboard.writeText(lines)
  const click = () =>
    void write().then(
      () => (copied.textContent = "Copied."),
      () => (copied.textContent = "Select the text and copy it.")
    )
  return h("p", {}, [
    h("button", { type: "button", "data-testid": "copy", click }, ["Copy"]),
    " ",
    copied
  ])
}

/**
 * Makes the message for an unknown transaction.
 *
 * @param {string} id
 */
export const missing = (id) =>
  h("div", { class: "empty", "data-testid": "missing" }, [
    h("h2", {}, [`There is no transaction ${id}`]),
    h("p", {}, ["A reset removes all transactions, and so does a restart without --file."]),
    h("p", {}, [h("a", { href: "#/transactions" }, ["Show the newest transaction"])])
  ])
