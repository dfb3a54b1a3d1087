/** A receiver made of parts that planted bugs replace one by one. */
import * as Json from "@pawl/core/internal/Json"
import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import * as Result from "effect/Result"
import { createHmac, timingSafeEqual } from "node:crypto"
import type { Reporting } from "../../src/Laws/Receiver.ts"

export interface Shop {
  readonly secret: string
  readonly read: (method: Method, id: string) => Promise<Status | undefined>
}

type Fields = Readonly<Record<string, unknown>>

export interface Claim {
  readonly method: Method
  readonly id: string
  readonly key: string
  readonly status: unknown
  readonly fields: Fields
  readonly body: string
}

export interface Store {
  readonly standing: Map<string, Status>
  readonly notes: Set<string>
}

export interface Parts {
  readonly maxBytes: number
  readonly isPost: (verb: string) => boolean
  readonly isJson: (type: string, encoding: string | null) => boolean
  readonly parse: (bytes: Uint8Array) => Fields | undefined
  readonly route: (query: URLSearchParams, fields: Fields) => Method | undefined
  readonly text: (value: unknown) => string | undefined
  readonly isSigned: (expected: string, given: string) => boolean
  readonly denial: (given: string | null) => string
  readonly accept: (claim: Claim, store: Store, shop: Shop) => Promise<number>
  readonly show: (key: string, store: Store, shop: Shop) => Promise<Status | undefined>
}

export const names = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
} as const

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses well-formed JSON; numbers keep their digits. */
export const strict = (bytes: Uint8Array): Fields | undefined =>
  Result.match(Json.fromBytes(bytes), {
    onFailure: () => undefined,
    onSuccess: (value) => (isObject(value) ? value : undefined)
  })

/** Parses everything that JSON.parse accepts. */
export const loose = (bytes: Uint8Array): Fields | undefined => {
  const value = Result.getOrUndefined(
    Result.try((): unknown => JSON.parse(new TextDecoder().decode(bytes)))
  )
  return isObject(value) ? value : undefined
}

export const has = (fields: Fields, method: Method) =>
  names[method].every((name) => fields[name] !== undefined)

export const raise = ({ standing }: Store, key: string, status: Status) => {
  const stored = standing.get(key)
  if (stored === undefined || rank(status) > rank(stored)) standing.set(key, status)
}

const settle = ({ standing }: Store, key: string, actual: Status | undefined) => {
  const stored = standing.get(key)
  if (actual && (stored === undefined || rank(actual) >= rank(stored))) standing.set(key, actual)
}

export const failed = Symbol("failed")
export const reading = ({ id, method }: Claim, { read }: Shop) =>
  read(method, id).catch(() => failed)

export const right: Parts = {
  maxBytes: 65_536,
  isPost: (verb) => verb === "POST",
  isJson: (type, encoding) =>
    /^application\/json(?:; *charset=utf-8)?$/iu.test(type) && encoding === null,
  parse: strict,
  route: (query, fields) => {
    const method = query.get("paymentMethod")
    if (method !== "card" && method !== "apm") return undefined
    const isApm = method === "apm"
    const types = query.getAll("apmType")
    if (query.getAll("paymentMethod").length > 1 || types.length > (isApm ? 1 : 0)) return undefined
    if (isApm && types.length === 1 && fields["apmType"] !== types[0]) return undefined
    return has(fields, isApm ? "card" : "apm") ? undefined : method
  },
  text: (value) => {
    const text = typeof value === "number" ? String(value) : value
    return typeof text === "string" && /^[^|\p{Cc}\p{Cs}]+$/u.test(text) ? text : undefined
  },
  isSigned: (expected, given) =>
    expected.length === given.length && timingSafeEqual(Buffer.from(expected), Buffer.from(given)),
  denial: () => "",
  accept: async (claim, store, shop) => {
    const { key, status } = claim
    if (typeof status !== "string" || !isStatus(status)) return 200
    if (!isTerminal(status)) raise(store, key, status)
    else {
      const actual = await reading(claim, shop)
      if (actual === failed) return 500
      settle(store, key, actual as Status | undefined)
    }
    return 200
  },
  show: async (key, { standing }) => standing.get(key)
}

export const receiver = (
  shop: Shop,
  wrong: Partial<Parts> = {}
): Pick<Reporting, "send" | "status"> => {
  const parts: Parts = { ...right, ...wrong }
  const store: Store = { standing: new Map(), notes: new Set() }
  const respond = async (request: Request): Promise<Response> => {
    const { headers, method: verb, url } = request
    const refuse = (status: number, body = "") => new Response(body, { status })
    if (!parts.isPost(verb)) return new Response(null, { status: 405 })
    const bytes = new Uint8Array(await request.arrayBuffer())
    if (bytes.length > parts.maxBytes) return refuse(413)
    if (!parts.isJson(headers.get("content-type") ?? "", headers.get("content-encoding"))) {
      return refuse(415)
    }
    const fields = parts.parse(bytes)
    const method = fields && parts.route(new URL(url).searchParams, fields)
    if (fields === undefined || method === undefined) return refuse(400)
    const texts = names[method].map((name) => parts.text(fields[name]))
    if (texts.includes(undefined)) return refuse(400)
    const given = headers.get("x-checksum")
    const expected = createHmac("sha256", shop.secret).update(texts.join("|")).digest("base64")
    if (!parts.isSigned(expected, given ?? "")) return refuse(401, parts.denial(given))
    const id = texts[3] ?? ""
    const body = new TextDecoder().decode(bytes)
    const key = `${method} ${id}`
    const claim = { method, id, key, status: fields["transactionStatus"], fields, body }
    return refuse(await parts.accept(claim, store, shop))
  }
  return { send: respond, status: (method, id) => parts.show(`${method} ${id}`, store, shop) }
}
