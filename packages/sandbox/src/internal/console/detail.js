/**
 * One transaction: its summary, statuses, properties and timeline, and the actions on it.
 */
import { copyable, renderList, h, setText } from "@pawl/receiver/page/dom.js"
import { duration, kind, money } from "@pawl/receiver/page/format.js"
import { chip } from "./list.js"
import { call } from "./api.js"
import { describeOutcome, describeCallbacks } from "./summary.js"
import { entry, timelineEvents } from "./timeline.js"
/** @import { Delivery } from "@pawl/testkit/Courier" */
/** @import { Facts } from "../pages/Console.ts" */
/** @import { LoggedRequest as Request } from "../sandbox/RequestLog.ts" */
/** @import { Transaction } from "@pawl/testkit/Gateway" */
/** @import { CallbackState } from "./summary.js" */

/**
 * Makes the elements that stay while a transaction moves, and returns functions that show one.
 *
 * @param {Element} container
 * @param {Facts} facts
 * @param {(text: string) => void} announce
 * @param {(error: unknown) => void} fail
 */
export const make = (container, facts, announce, fail) => {
  let id = ""
  /** The key of the placeholder that is shown instead of a transaction. */
  let placeholder = /** @type {string | undefined} */ (undefined)
  const title = h("h2", { "data-testid": "title" })
  const status = h("span", { class: "big", "data-testid": "status" })
  const story = h("p", { class: "story", "data-testid": "story" })
  const steps = h("ol", { class: "steps", "aria-label": "Statuses", "data-testid": "steps" })
  const properties = h("dl", { "data-testid": "properties" })
  const timeline = h("ol", {
    class: "timeline",
    "aria-label": "Events, in order",
    "data-testid": "timeline"
  })

  const resend = (/** @type {Delivery} */ delivery) =>
    void call("POST", `/sandbox/deliveries/${encodeURIComponent(delivery.id)}/resend`).then(
      () =>
        announce(`The callback ${delivery.status} of ${delivery.transactionId} was sent again.`),
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
  to.addEventListener("input", () => {
    // A browser sends no form with an invalid field, even if nobody sees the field.
    declining.hidden = code.disabled = to.value !== "FAILED"
  })
  const move = h(
    "form",
    {
      class: "move",
      submit: (event) => {
        event.preventDefault()
        const moved = { id, status: to.value }
        const declineCode =
          to.value === "FAILED" && code.value !== "" ? Number(code.value) : undefined
        call("POST", `/sandbox/transactions/${encodeURIComponent(id)}/status`, {
          status: moved.status,
          ...(declineCode === undefined ? {} : { declineCode })
        }).then(() => announce(`${moved.id} was moved to ${moved.status}.`), fail)
      }
    },
    [
      h("span", { class: "field" }, [h("label", { for: "move-to" }, ["Move to"]), to]),
      declining,
      h("button", { "data-testid": "move" }, ["Move"])
    ]
  )

  const parts = [
    h("a", { class: "back", href: "#/transactions" }, ["All transactions"]),
    h("div", { class: "head" }, [h("div", {}, [title, story]), status]),
    steps,
    h("section", { class: "facts", "aria-label": "Properties" }, [properties, move]),
    h("section", {}, [h("h3", {}, ["Timeline"]), timeline])
  ]

  return {
    /**
     * Shows a placeholder instead, made once for each key.
     *
     * @param {string} key
     * @param {() => Node} make
     */
    clear: (key, make) => {
      if (placeholder === key) return
      placeholder = key
      id = ""
      container.replaceChildren(make())
    },
    /**
     * @param {Transaction} transaction
     * @param {ReadonlyArray<Delivery>} deliveries
     * @param {ReadonlyArray<Request>} requests
     * @param {ReadonlyArray<CallbackState>} callbacks
     * @param {number} now
     */
    show: (transaction, deliveries, requests, callbacks, now) => {
      if (id === "") container.replaceChildren(...parts)
      placeholder = undefined
      id = transaction.transactionId
      setText(title, `${kind(transaction.kind)} of ${money(transaction)}`)
      const isFinal = facts.statuses.some((of) => of.isFinal && of.status === transaction.status)
      setText(
        story,
        `${describeOutcome(transaction, isFinal)} ${describeCallbacks(transaction, callbacks, now)}`
      )
      renderList(status, [transaction.status], (status) => status, chip)
      renderList(steps, stepsOf(transaction, callbacks), ({ key }) => key, step)
      renderList(properties, propertiesOf(transaction), ({ name }) => name, property)
      renderList(
        timeline,
        timelineEvents(transaction, deliveries, requests),
        ({ key }) => `${id} ${key}`,
        (one) => entry(one, resend)
      )
    }
  }
}

/**
 * @param {Transaction} transaction
 * @param {ReadonlyArray<CallbackState>} callbacks
 */
const stepsOf = ({ callbackUrl, createdTime, history }, callbacks) =>
  history.map(({ at, status }, index) => ({
    key: `${index} ${status}`,
    status,
    after: duration(
      new Date(at).getTime() - new Date(history[index - 1]?.at ?? createdTime).getTime()
    ),
    isFirst: index === 0,
    ...(callbackUrl === undefined ? { state: "none", text: "no callback" } : mark(callbacks[index]))
  }))

/** @param {CallbackState | undefined} callback */
const mark = (callback) => {
  if (callback === undefined || callback.state === "none")
    return { state: "none", text: "no callback yet" }
  const attempts = callback.attempts > 1 ? ` · ${callback.attempts} attempts` : ""
  if (callback.state === "delivered") {
    const { delivered } = callback
    const often = delivered === 1 ? "" : delivered === 2 ? " twice" : ` ${delivered} times`
    const all = callback.attempts > delivered ? attempts : ""
    return { state: "good", text: `delivered${often}${all}` }
  }
  const answer = typeof callback.answer === "number" ? `got ${callback.answer}` : callback.answer
  return {
    state: "bad",
    text: `${answer}${attempts}${callback.state === "dropped" ? ", dropped" : ""}`
  }
}

/** @param {ReturnType<typeof stepsOf>[number]} step */
const step = ({ after, isFirst, state, status, text }) =>
  h("li", { "data-status": status, "data-testid": `step-${status}` }, [
    // A line of a long status breaks behind the underscore, and not within a word.
    h(
      "span",
      { class: "name" },
      status.split(/(?<=_)/u).flatMap((word) => [h("wbr"), word])
    ),
    h("span", { class: "fine" }, [isFirst ? "created" : `after ${after}`]),
    h("span", { class: `fine ${state}` }, [text])
  ])

/** @param {Transaction} transaction */
const propertiesOf = (transaction) => {
  const { order } = transaction
  const properties = /** @type {ReadonlyArray<readonly [string, string | undefined, string?]>} */ ([
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
  return properties.flatMap(([name, text, href]) =>
    text === undefined || text === "" ? [] : [{ name, text, href }]
  )
}

/** The properties with a button that copies them. */
const copied = new Set(["Transaction", "requestId"])

/** @param {{ readonly name: string, readonly text: string, readonly href: string | undefined }} property */
const property = ({ href, name, text }) =>
  h("div", {}, [
    h("dt", {}, [name]),
    h("dd", {}, [
      href !== undefined
        ? h("a", { href }, [text])
        : copied.has(name)
          ? copyable(text, h("span", {}, [text]))
          : text
    ])
  ])
