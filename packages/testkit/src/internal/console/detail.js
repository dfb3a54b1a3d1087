/**
 * One transaction: what became of it, what led there, and what may be done to it.
 */
import { fill, h, say } from "./dom.js"
import { duration, kind, money } from "./format.js"
import { chip } from "./list.js"
import { ask } from "./api.js"
import { outcome, told } from "./story.js"
import { entry, happenings } from "./timeline.js"
/** @import { Delivery } from "../../Courier.ts" */
/** @import { Facts } from "../../Console.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "../../Gateway.ts" */
/** @import { Fate } from "./story.js" */

/**
 * Makes the parts of the page that stay while a transaction moves, and returns what shows it.
 *
 * @param {Element} place
 * @param {Facts} facts
 * @param {(text: string) => void} announce
 * @param {(error: unknown) => void} fail
 */
export const make = (place, facts, announce, fail) => {
  let id = ""
  /** What is shown in place of a transaction. */
  let instead = /** @type {string | undefined} */ (undefined)
  const title = h("h2", { "data-testid": "title" })
  const status = h("span", { class: "big", "data-testid": "status" })
  const story = h("p", { class: "story", "data-testid": "story" })
  const steps = h("ol", { class: "steps", "aria-label": "Its statuses", "data-testid": "steps" })
  const properties = h("dl", { "data-testid": "properties" })
  const timeline = h("ol", {
    class: "timeline",
    "aria-label": "What happened, in order",
    "data-testid": "timeline"
  })

  const resend = (/** @type {Delivery} */ delivery) =>
    void ask("POST", `/sandbox/deliveries/${encodeURIComponent(delivery.id)}/resend`).then(
      () => announce(`Callback ${delivery.status} of ${delivery.transactionId} was sent again.`),
      fail
    )

  const to = h(
    "select",
    { name: "status", id: "move-to", "data-testid": "move-to" },
    facts.statuses.map(({ status }) => h("option", { value: status }, [status]))
  )
  to.value = "SUCCEED"
  const code = h("input", {
    name: "declineCode",
    id: "decline-code",
    inputmode: "numeric",
    pattern: "[0-9]{1,9}",
    placeholder: "5",
    autocomplete: "off",
    "data-testid": "decline-code"
  })
  const declining = h("span", { class: "field", hidden: true }, [
    h("label", { for: "decline-code" }, ["Decline code"]),
    code
  ])
  to.addEventListener("input", () => (declining.hidden = to.value !== "FAILED"))
  const move = h(
    "form",
    {
      class: "move",
      submit: (event) => {
        event.preventDefault()
        const moved = { id, status: to.value }
        const declineCode =
          to.value === "FAILED" && code.value !== "" ? Number(code.value) : undefined
        ask("POST", `/sandbox/transactions/${encodeURIComponent(id)}/status`, {
          status: moved.status,
          ...(declineCode === undefined ? {} : { declineCode })
        }).then(() => announce(`${moved.id} was moved to ${moved.status}.`), fail)
      }
    },
    [
      h("span", { class: "field" }, [h("label", { for: "move-to" }, ["Move it to"]), to]),
      declining,
      h("button", { "data-testid": "move" }, ["Move"])
    ]
  )

  const parts = [
    h("a", { class: "back", href: "#/transactions" }, ["All transactions"]),
    h("div", { class: "head" }, [h("div", {}, [title, story]), status]),
    steps,
    h("section", { class: "facts", "aria-label": "What it is" }, [properties, move]),
    h("section", {}, [h("h3", {}, ["What happened"]), timeline])
  ]

  return {
    /**
     * Shows something else in its place, and makes it once for each key.
     *
     * @param {string} key
     * @param {() => Node} make
     */
    clear: (key, make) => {
      if (instead === key) return
      instead = key
      id = ""
      place.replaceChildren(make())
    },
    /**
     * Shows a transaction.
     *
     * @param {Transaction} transaction
     * @param {ReadonlyArray<Delivery>} deliveries
     * @param {ReadonlyArray<Request>} requests
     * @param {ReadonlyArray<Fate>} fates
     * @param {number} now
     */
    show: (transaction, deliveries, requests, fates, now) => {
      if (id === "") place.replaceChildren(...parts)
      instead = undefined
      id = transaction.transactionId
      say(title, `${kind(transaction.kind)} of ${money(transaction)}`)
      const isFinal = facts.statuses.some((of) => of.isFinal && of.status === transaction.status)
      say(story, `${outcome(transaction, isFinal)} ${told(transaction, fates, now)}`)
      fill(status, [transaction.status], (status) => status, chip)
      fill(steps, stepsOf(transaction, fates), ({ key }) => key, step)
      fill(properties, propertiesOf(transaction), ({ name }) => name, property)
      fill(
        timeline,
        happenings(transaction, deliveries, requests),
        ({ key }) => `${id} ${key}`,
        (one) => entry(one, resend)
      )
    }
  }
}

/**
 * @param {Transaction} transaction
 * @param {ReadonlyArray<Fate>} fates
 */
const stepsOf = ({ callbackUrl, createdTime, history }, fates) =>
  history.map(({ at, status }, index) => ({
    key: `${index} ${status}`,
    status,
    after: duration(
      new Date(at).getTime() - new Date(history[index - 1]?.at ?? createdTime).getTime()
    ),
    isFirst: index === 0,
    ...(callbackUrl === undefined ? { state: "none", text: "not told" } : mark(fates[index]))
  }))

/** @param {Fate | undefined} fate */
const mark = (fate) => {
  if (fate === undefined || fate.state === "none") return { state: "none", text: "not told yet" }
  const tries = fate.tries > 1 ? ` · ${fate.tries} tries` : ""
  if (fate.state === "delivered") return { state: "good", text: `delivered${tries}` }
  const answer = typeof fate.answer === "number" ? `got ${fate.answer}` : fate.answer
  return { state: "bad", text: `${answer}${tries}${fate.state === "dropped" ? ", dropped" : ""}` }
}

/** @param {ReturnType<typeof stepsOf>[number]} step */
const step = ({ after, isFirst, state, status, text }) =>
  h("li", { "data-status": status, "data-testid": `step-${status}` }, [
    h("span", { class: "name" }, [status]),
    h("span", { class: "fine" }, [isFirst ? "created" : `after ${after}`]),
    h("span", { class: `fine ${state}` }, [text])
  ])

/** @param {Transaction} transaction */
const propertiesOf = (transaction) => {
  const { order } = transaction
  const inWords = /** @type {ReadonlyArray<readonly [string, string | undefined, string?]>} */ ([
    ["Transaction", transaction.transactionId],
    ["requestId", transaction.requestId],
    ["Order", [order?.orderId, order?.title].filter((text) => text !== undefined).join(" · ")],
    ["Customer", order?.name],
    ["accountId", transaction.accountId],
    ["mid", transaction.mid],
    ["Method", transaction.apmType],
    ["Card", transaction.cardMask],
    ["Decline code", transaction.declineCode?.toString()],
    ["Refund of", transaction.paymentId, `#/transactions/${transaction.paymentId}`],
    ["Charge of", transaction.subscriptionId, "#/subscriptions"],
    [
      "Challenge",
      transaction.status === "CUSTOMER_VERIFICATION" ? "Open the customer's page" : undefined,
      `/challenge/${encodeURIComponent(transaction.transactionId)}`
    ],
    ["Callbacks to", transaction.callbackUrl],
    ...Object.entries(transaction.metadata ?? {}).map(([name, value]) => [
      `metadata ${name}`,
      value
    ])
  ])
  return inWords.flatMap(([name, text, href]) =>
    text === undefined || text === "" ? [] : [{ name, text, href }]
  )
}

/** @param {{ readonly name: string, readonly text: string, readonly href: string | undefined }} property */
const property = ({ href, name, text }) =>
  h("div", {}, [
    h("dt", {}, [name]),
    h("dd", {}, [href === undefined ? text : h("a", { href }, [text])])
  ])
