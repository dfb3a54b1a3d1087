/**
 * The readings that the responses of a service show. A reader answers one question from a
 * recording; undefined if it does not show the answer.
 */
import { count } from "@pawl/webhook/internal/CommandOutput"
import * as Predicate from "effect/Predicate"
import type { Json } from "effect/Schema"
import {
  type Exchange,
  find,
  isSuccess,
  json,
  member,
  type Recording,
  statusFields,
  text
} from "./Recording.ts"
import { documentedFields, documentedStatuses } from "./Documented.ts"
import * as Token from "./Token.ts"

export interface Seen {
  readonly reading: string
  readonly evidence: string
}

export type Reader = (recording: Recording) => Seen | undefined

export const seen = (reading: string, evidence: string): Seen => ({ reading, evidence })

export const answered = ({ method, status }: Exchange): string => `${method} was answered ${status}`

export const of =
  (name: string, read: (exchange: Exchange, recording: Recording) => Seen | undefined): Reader =>
  (recording) => {
    const exchange = find(recording, name)
    return exchange && exchange.status > 0 ? read(exchange, recording) : undefined
  }

export const token: Reader = of("auth", ({ body }) => {
  const found = Token.find(body)
  return found && seen(found.place, `the response of /auth has it as ${found.place}`)
})

export const tokenLifetime: Reader = of("auth", ({ body }) => {
  const [, lifetime] = /<token, (.+)>/u.exec(body) ?? []
  return lifetime === undefined ? undefined : seen(lifetime, `exp of the token: ${lifetime}`)
})

const noWay = "in no way that was tried"

const refusals: ReadonlySet<number> = new Set([200, 400, 401, 403, 422])

const isRefusal = (exchange: Exchange): boolean =>
  refusals.has(exchange.status) && !isSuccess(exchange)

export const checksum: Reader = of("payment", (exchange, { exchanges }) => {
  const refused = exchanges.filter((each) => each.name === "payment" && isRefusal(each))
  if (isRefusal(exchange)) return seen(noWay, `${count(refused.length, "way")} refused`)
  if (!isSuccess(exchange) || exchange.variant === undefined) return undefined
  return seen(exchange.variant, `accepted; ${refused.length} tried before were refused`)
})

export const payoutChecksum: Reader = (recording) => {
  const [first, other, wrong, without, bare] = [
    "payout",
    "payout.without-ssn",
    "payout.wrong",
    "payout.without",
    "payout.bare"
  ].map((name) => find(recording, name))
  if (first === undefined || wrong === undefined || without === undefined) return undefined
  const payment = find(recording, "payment")
  // Where nobody can make a checksum, nobody knows whether it is checked.
  if (payment === undefined || !isSuccess(payment)) return undefined
  const isRight = isSuccess(first) || (other !== undefined && isSuccess(other))
  const isWrong = isSuccess(wrong)
  const isWithout = isSuccess(without) || (bare !== undefined && isSuccess(bare))
  const evidence = `right ${(other ?? first).status}, wrong ${wrong.status}, none ${(bare ?? without).status}`
  if (isRight && isWrong && isWithout) return seen("not checked", evidence)
  if (isRight && !isWrong) return seen(isWithout ? "checked if sent" : "required", evidence)
  return !isRight && isWithout ? seen("not accepted", evidence) : undefined
}

export const ssn: Reader = (recording) => {
  const first = find(recording, "payout")
  const others = ["payout.without-ssn", "payout.bare"].map((name) => find(recording, name))
  if (first !== undefined && others.some((other) => other !== undefined && isSuccess(other))) {
    return seen("refused", answered(first))
  }
  const info = find(recording, "payout.info")
  if (info === undefined || !isSuccess(info)) return undefined
  const body = json(info.body)
  const billing = Predicate.hasProperty(body, "billingDetails") ? body["billingDetails"] : undefined
  const number = text(billing, "ssn")
  const reading =
    number === undefined ? "left out" : number === "000-00-0000" ? "returned as text" : "masked"
  return seen(reading, `${answered(info)}, ssn ${number ?? "absent"}`)
}

export const refundPayment: Reader = of("refund", (exchange) =>
  isSuccess(exchange)
    ? seen(exchange.variant ?? "JSON integer", `accepted as ${exchange.variant ?? "an integer"}`)
    : undefined
)

export const refundId: Reader = of("refund.info", (exchange) =>
  isSuccess(exchange) && exchange.variant !== undefined
    ? seen(exchange.variant, answered(exchange))
    : undefined
)

const creates = ["payment", "payout", "card-payment", "refund", "card-payout", "subscription"]

const createsOf = (recording: Recording): ReadonlyArray<Exchange> =>
  creates.flatMap((name) => {
    const exchange = find(recording, name)
    return exchange !== undefined && isSuccess(exchange) ? [exchange] : []
  })

const has = (name: string) => (exchange: Exchange) =>
  Predicate.hasProperty(json(exchange.body), name)

export const metadata: Reader = (recording) => {
  const all = createsOf(recording)
  const having = all.filter(has("metadata"))
  if (all.length === 0) return undefined
  const reading =
    having.length === all.length
      ? "returned"
      : having.length === 0
        ? "left out"
        : `only for ${having.map(({ name }) => name).join(", ")}`
  return seen(reading, `in ${having.length} of ${all.length} responses to creates`)
}

export const intentMetadata: Reader = of("page", (page) =>
  isSuccess(page)
    ? seen(page.variant === undefined ? "accepted" : "refused", answered(page))
    : undefined
)

export const lang: Reader = of("page", (page) =>
  isSuccess(page)
    ? seen('"en"', answered(page))
    : /\blang\b/u.test(page.body)
      ? seen('not "en"', answered(page))
      : undefined
)

export const payoutAccount: Reader = of("payout.info", (info) => {
  const body = json(info.body)
  if (!isSuccess(info) || !Predicate.isObject(body)) return undefined
  const { accountId } = body as { readonly accountId?: Json }
  const reading =
    accountId === undefined || accountId === null
      ? "left out"
      : typeof accountId === "string"
        ? "text"
        : "JSON integer"
  return seen(reading, answered(info))
})

export const nulls: Reader = (recording) => {
  const all = createsOf(recording).filter(
    ({ body }) => text(json(body), "declineCode") === undefined
  )
  const having = all.filter(has("declineCode"))
  return all.length === 0
    ? undefined
    : seen(
        having.length === 0 ? "absent" : "null",
        `declineCode is null in ${having.length} of ${all.length} creates that are not declined`
      )
}

export const unknown: Reader = (recording) => {
  const fields = new Set<string>()
  const statuses = new Set<string>()
  const visit = (value: Json | undefined, name: string): void => {
    if (Array.isArray(value)) value.forEach((item) => visit(item, name))
    else if (Predicate.isObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        if (!isMap.test(name) && !documentedFields.has(key)) fields.add(key)
        visit(member as Json, key)
      }
    } else if (
      /[sS]tatus$/u.test(name) &&
      typeof value === "string" &&
      !documentedStatuses.has(value)
    ) {
      statuses.add(value)
    }
  }
  const read = recording.exchanges.filter(
    (exchange) => isSuccess(exchange) && exchange.name !== "auth" && exchange.name !== "card-token"
  )
  for (const { body, name } of read) visit(json(body), name)
  for (const { body } of recording.callbacks) visit(json(body), "callback")
  if (read.length === 0) return undefined
  const found = [
    ...Array.from(fields, (name) => `field ${name}`),
    ...Array.from(statuses, (name) => `status ${name}`)
  ]
  return seen(
    found.toSorted().join(", ") || "none",
    `in ${count(read.length, "response")} and ${count(recording.callbacks.length, "callback")}`
  )
}

/** Fields whose members have names of the merchant or of a payment method. */
const isMap = /^(?:metadata|apmResponseData|apmPayload|apmRequestPayload)$/u

export const errorBody: Reader = of("invalid", ({ body, headers, status }) => {
  const value = json(body)
  const errors = Predicate.isObject(value)
    ? Object.values(value).find((member) => typeof member === "object" && member !== null)
    : value
  const evidence = `${status} with ${body.length} characters, ${headers["content-type"] ?? "no content type"}`
  if (body === "") return seen("nothing", evidence)
  if (value === undefined || typeof value === "string") return seen("no JSON", evidence)
  if (Array.isArray(errors)) {
    const isProblem = errors.some((error) => Predicate.hasProperty(error, "pointer"))
    return seen(isProblem ? "problem details" : "a list of fields", evidence)
  }
  return seen(errors === undefined ? "a message alone" : "a map of fields", evidence)
})

export const otherStatuses: Reader = (recording) => {
  const method = find(recording, "wrong-method")?.status ?? 0
  const type = find(recording, "wrong-type")?.status ?? 0
  return method === 0 || type === 0
    ? undefined
    : seen(`${method} and ${type}`, `PUT of a POST path: ${method}; text/plain: ${type}`)
}

export const repeated: Reader = of("payment.repeated", (exchange, recording) => {
  const first = member(recording, "payment", "transactionId")
  const again = member(recording, "payment.repeated", "transactionId")
  if (first === undefined) return undefined
  if (exchange.status >= 400 && exchange.status < 500) return seen("refused", answered(exchange))
  if (again === undefined) return undefined
  return seen(
    again === first ? "the original response" : "another transaction",
    `the transactionId is ${again === first ? "the same" : "another"} one`
  )
})

export const decimals: Reader = (recording) => {
  const first = find(recording, "card-payout")
  if (first === undefined) return undefined
  const unit = totals(recording)?.reading === "minor units" ? 100 : 1
  const cents = (name: string): number =>
    Math.round((Number(member(recording, name, "totalAmount")) / unit - recording.units) * 1000)
  const plain = find(recording, "card-payout.plain")
  if (plain !== undefined && isSuccess(plain)) return seen("refused", answered(first))
  if (!isSuccess(first)) return undefined
  const up = cents("card-payout.info")
  const evidence = (name: string, sent: string) =>
    `${recording.units}.${sent} became ${member(recording, name, "totalAmount")}`
  if (up === 30) return seen("rounded half up", evidence("card-payout.info", "025"))
  if (up === 25) return seen("kept", evidence("card-payout.info", "025"))
  const even = cents("card-payout.second.info")
  if (Number.isNaN(up) || Number.isNaN(even)) return undefined
  return seen(
    even === 30 ? "rounded half to even" : "cut off",
    `${evidence("card-payout.info", "025")}, ${evidence("card-payout.second.info", "027")}`
  )
}

export const statusDelay: Reader = of("payment.status", (exchange, recording) => {
  const created = find(recording, "payment")
  if (created === undefined || exchange.status === 404) return undefined
  const seconds = (exchange.at - created.at) / 1000
  return seen(
    seconds < 1 ? "at once" : seconds <= 60 ? "within 60 s" : "after 60 s",
    `${answered(exchange)}, ${seconds.toFixed(1)} s after the create`
  )
})

export const limits: Reader = ({ exchanges }) => {
  const names = new Set(
    exchanges.flatMap(({ headers }) =>
      Object.keys(headers).filter((name) => /rate-?limit|^deprecation$|^sunset$/u.test(name))
    )
  )
  return exchanges.length === 0
    ? undefined
    : seen(
        [...names].toSorted().join(", ") || "none",
        `headers of ${count(exchanges.length, "response")}`
      )
}

export const createdStatus: Reader = (recording) => {
  const statuses = new Set(createsOf(recording).map(({ status }) => status))
  return statuses.size === 0
    ? undefined
    : seen(
        `answered ${[...statuses].toSorted((one, two) => one - two).join(", ")}`,
        `of ${createsOf(recording).length} creates`
      )
}

export const requestIdEcho: Reader = (recording) => {
  const found = createsOf(recording).flatMap(({ body, sent }) => {
    const [echoed, asked] = [body, sent ?? ""].map((each) => text(json(each), "requestId"))
    return echoed === undefined || asked === undefined ? [] : [{ asked, echoed }]
  })
  const other = found.find(({ asked, echoed }) => asked !== echoed)
  if (found.length === 0) return undefined
  const reading =
    other === undefined
      ? "as sent"
      : other.echoed === other.asked.toUpperCase()
        ? "in upper case"
        : "otherwise"
  return seen(reading, `in ${count(found.length, "response")} to creates`)
}

export const totals: Reader = (recording) => {
  const total = member(recording, "refund.info", "totalAmount")
  if (total === undefined) return undefined
  const asked = Number(`${recording.units}.10`)
  const reading =
    Number(total) === asked
      ? "major units"
      : Number(total) === Math.round(asked * 100)
        ? "minor units"
        : "another amount"
  return seen(reading, `a refund of ${asked} has the totalAmount ${total}`)
}

const statusOf = (name: string): Reader =>
  of(name, (exchange) => seen(`answered ${exchange.status}`, answered(exchange)))

export const errorStatus: Reader = statusOf("invalid")
export const badToken: Reader = statusOf("bad-token")
export const unknownId: Reader = statusOf("unknown-id")

export const decline: Reader = of("declined", (exchange) =>
  text(json(exchange.body), "transactionStatus") === "FAILED"
    ? seen(isSuccess(exchange) ? "a success" : `answered ${exchange.status}`, answered(exchange))
    : undefined
)

export const statusBody: Reader = of("card-payment.status", ({ body, status }) => {
  if (status !== 200) return undefined
  const value = json(body)
  const field = statusFields.find((name) => text(value, name) !== undefined)
  const reading =
    typeof value === "string"
      ? "a JSON text"
      : field !== undefined
        ? `an object with ${field}`
        : documentedStatuses.has(body.trim())
          ? "plain text"
          : "another body"
  return seen(reading, `${body.length} characters`)
})

export const putBody: Reader = of("subscription.pause", (put) => {
  if (!isSuccess(put)) return undefined
  const reading =
    put.status === 204
      ? "no body"
      : text(json(put.body), "status") === undefined
        ? "an empty object"
        : "the subscription"
  return seen(reading, answered(put))
})

export const intentErrorCode: Reader = (recording) => {
  if (member(recording, "page", "redirectUrl") === undefined) return undefined
  const code = member(recording, "page", "errorCode")
  return seen(code === undefined ? "absent" : `"${code}"`, "beside the redirectUrl of a page")
}
