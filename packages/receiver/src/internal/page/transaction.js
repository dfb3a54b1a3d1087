/**
 * One transaction: its standing, its dead letter with a redrive, and its story.
 */
import { find } from "./api.js"
import { byId, copyable, h, instant, renderList } from "@pawl/receiver/page/dom.js"
import { count, dateTime, duration, kind } from "@pawl/receiver/page/format.js"
import { amountOf } from "./finder.js"
import { redriveOne } from "./letters.js"
import { chip } from "./marks.js"
/** @import { Listed } from "../admin/Transactions.ts" */
/** @import { FactReport as Fact } from "../story/StoryReport.ts" */
/** @import { Money, TransactionReport as Transaction } from "@pawl/webhook/internal/rule/TransactionReport" */

/** @typedef {{ readonly method: string, readonly transactionId: string }} Key */

const article = byId("transaction", HTMLElement)

/**
 * Reads a transaction with its order, and returns the function that shows it.
 *
 * @param {Key} key
 */
export const load = async (key) => {
  const { method, transactionId } = key
  const path = `/transactions/${method}/${encodeURIComponent(transactionId)}`
  const [transaction, story, list] = await Promise.all([
    find(path),
    find(`${path}/story`),
    find(`/transactions?${new URLSearchParams({ text: transactionId })}`)
  ])
  const { facts = [] } = /** @type {{ readonly facts?: ReadonlyArray<Fact> }} */ (story ?? {})
  const order = /** @type {ReadonlyArray<Listed>} */ (list ?? []).find(
    (each) => each.method === method && each.transactionId === transactionId
  )
  const shown = { key, transaction: /** @type {Transaction | null} */ (transaction), facts, order }
  return () => renderList(article, [shown], () => "shown", make)
}

/** Shows no transaction. */
export const hide = () => renderList(article, [], () => "shown", make)

/** @param {{ readonly key: Key, readonly transaction: Transaction | null, readonly facts: ReadonlyArray<Fact>, readonly order: Listed | undefined }} shown */
const make = ({ facts, key, order, transaction }) =>
  transaction === null
    ? h("p", { class: "lead", "data-testid": "unknown" }, [
        `The ledger knows no ${key.method} transaction ${key.transactionId}. Find it by the shop's order, or by its amount and day. \`Ledger.quarantined\` lists the callbacks in quarantine.`
      ])
    : h("div", { class: "shown" }, [
        h("h3", {}, [
          `${kind(transaction.kind)} `,
          copyable(transaction.transactionId),
          " ",
          chip(transaction.status ?? "no status yet")
        ]),
        h("p", { class: "lead", "data-testid": "summary" }, [summaryOf(transaction)]),
        ...(transaction.deadLetter === null ? [] : [letter(transaction, transaction.deadLetter)]),
        properties(transaction, order),
        ...(facts.length === 0
          ? []
          : [
              h("h3", {}, ["Story"]),
              h("p", { class: "fine" }, [
                "A callback only claims a status. A read from the service confirms it before the handler is called."
              ]),
              h(
                "ol",
                { class: "story", "data-testid": "story" },
                facts.map((each, at) => fact(each, facts[at - 1]))
              )
            ])
      ])

/** @param {Transaction} transaction */
const summaryOf = ({ confirmed, conflict, status, told }) => {
  if (conflict !== null) {
    return `The service confirmed ${conflict.join(" and ")}: a person must decide which part of the order to undo.`
  }
  if (status === null) return "No status yet: the claims of callbacks wait for a read."
  const known = confirmed ? "The service confirmed" : "Callbacks claim"
  const handler =
    told === null
      ? "the handler has received nothing"
      : told === status
        ? "the handler has received it"
        : `the handler last received ${told}`
  return `${known} ${status}, and ${handler}.`
}

/**
 * @param {Transaction} transaction
 * @param {NonNullable<Transaction["deadLetter"]>} deadLetter
 */
const letter = ({ method, transactionId }, { amounts, at, explanation, reason }) => {
  const texts = amounts && {
    ordered: money(amounts.ordered),
    signed: amounts.signed.map(money).join(" and ")
  }
  const comparison = texts && `Ordered: ${texts.ordered}. Signed in callbacks: ${texts.signed}.`
  return h("div", { class: "letter", "data-testid": "letter" }, [
    h("p", {}, [h("strong", {}, [`Dead letter since ${dateTime(at)}: ${reason}`])]),
    h("p", {}, [explanation]),
    ...(comparison === undefined
      ? []
      : [h("p", { class: "money", "data-testid": "amounts" }, [comparison])]),
    h(
      "button",
      {
        type: "button",
        class: "main",
        "data-testid": "open-redrive",
        click: () => redriveOne({ method, reason, transactionId }, comparison ?? explanation)
      },
      [reason === "amount-mismatch" ? "Let this amount pass" : "Redrive"]
    )
  ])
}

/** @param {Money} money */
const money = ({ amount, currency }) =>
  [amount, currency].filter((text) => text !== null).join(" ") || "not known"

/**
 * @param {Transaction} transaction
 * @param {Listed | undefined} order
 */
const properties = ({ callbacks, claimed, confirmedStatuses, told }, order) => {
  const texts = /** @type {ReadonlyArray<readonly [string, string | Node]>} */ ([
    ["Order", order?.requestId ? copyable(order.requestId) : "not known"],
    ["Amount", (order && amountOf(order)) ?? "not known"],
    ["Claimed by callbacks", claimed.join(", ") || "nothing"],
    ["Confirmed by the service", confirmedStatuses.join(", ") || "nothing"],
    ["Last received by the handler", told ?? "nothing"],
    ["Callbacks", count(callbacks, "delivery", "deliveries")]
  ])
  return h(
    "dl",
    { class: "properties", "data-testid": "properties" },
    texts.map(([name, text]) => h("div", {}, [h("dt", {}, [name]), h("dd", {}, [text])]))
  )
}

/**
 * The actor of each kind of fact, named for a person who does not know pawl.
 *
 * @type {Readonly<Record<Fact["fact"], string>>}
 */
const actors = {
  registered: "Shop",
  accepted: "Callback",
  asked: "Service",
  called: "Application",
  told: "Application",
  failed: "Application",
  parked: "pawl",
  redriven: "Person",
  more: "pawl"
}

/** @param {Fact & { readonly result?: string }} fact */
const toneOf = ({ fact, result }) => {
  if (fact === "told") return "good"
  if (fact === "failed" || fact === "parked") return "bad"
  return result === "404" || result === "no answer" || fact === "redriven" ? "warn" : undefined
}

/**
 * @param {Fact} each
 * @param {Fact | undefined} before
 */
const fact = (each, before) => {
  const { at, count: times, fact, lastAt, sentence } = each
  const gap = before === undefined ? 0 : Date.parse(at) - Date.parse(before.at)
  const notes = [
    ...(gap >= 1000 ? [`${duration(gap)} later`] : []),
    ...(times > 1 && lastAt !== null ? [`last at ${dateTime(lastAt)}`] : [])
  ]
  return h("li", { class: toneOf(each), "data-fact": fact }, [
    instant(at, dateTime(at)),
    h("div", {}, [
      h("b", {}, [actors[fact]]),
      h("span", {}, [sentence]),
      ...(notes.length === 0 ? [] : [h("small", {}, [notes.join("; ")])])
    ])
  ])
}
