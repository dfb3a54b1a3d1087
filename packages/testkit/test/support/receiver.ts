/** A receiver made of parts that planted bugs replace one by one. */
import * as Json from "@pawl/core/internal/Json"
import { isStatus, isTerminal, rank, type Status } from "@pawl/core/Status"
import type { Method } from "@pawl/core/Kind"
import * as Result from "effect/Result"
import { createHmac, timingSafeEqual } from "node:crypto"
import { bugsOf } from "@pawl/test-support/Bugs"
import type { Reporting } from "../../src/Laws/Receiver.ts"

interface Shop {
  readonly secret: string
  readonly read: (method: Method, id: string) => Promise<Status | undefined>
}

type Fields = Readonly<Record<string, unknown>>

interface Claim {
  readonly method: Method
  readonly id: string
  readonly key: string
  readonly status: unknown
  readonly fields: Fields
  readonly body: string
}

interface Store {
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

const names = {
  card: ["mid", "orderAmount", "orderCurrency", "transactionId"],
  apm: ["accountId", "amount", "currency", "transactionId"]
} as const

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Parses well-formed JSON; numbers keep their digits. */
const strict = (bytes: Uint8Array): Fields | undefined =>
  Result.match(Json.fromBytes(bytes), {
    onFailure: () => undefined,
    onSuccess: (value) => (isObject(value) ? value : undefined)
  })

/** Parses everything that JSON.parse accepts. */
const loose = (bytes: Uint8Array): Fields | undefined => {
  const value = Result.getOrUndefined(
    Result.try((): unknown => JSON.parse(new TextDecoder().decode(bytes)))
  )
  return isObject(value) ? value : undefined
}

const has = (fields: Fields, method: Method) =>
  names[method].every((name) => fields[name] !== undefined)

const raise = ({ standing }: Store, key: string, status: Status) => {
  const stored = standing.get(key)
  if (stored === undefined || rank(status) > rank(stored)) standing.set(key, status)
}

const settle = ({ standing }: Store, key: string, actual: Status | undefined) => {
  const stored = standing.get(key)
  if (actual && (stored === undefined || rank(actual) >= rank(stored))) standing.set(key, actual)
}

const failed = Symbol("failed")
const reading = ({ id, method }: Claim, { read }: Shop) => read(method, id).catch(() => failed)

const right: Parts = {
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

/** Accepts a claim once, by a key. Claims without a key are handled correctly. */
const once =
  (keyOf: (claim: Claim) => string | undefined, again: number): Parts["accept"] =>
  async (claim, store, shop) => {
    const note = keyOf(claim)
    if (note === undefined) return right.accept(claim, store, shop)
    if (store.notes.has(note)) return again
    store.notes.add(note)
    return right.accept(claim, store, shop)
  }

const where =
  (
    isCase: (status: Status, claim: Claim, store: Store) => boolean,
    alternative: Parts["accept"]
  ): Parts["accept"] =>
  (claim, store, shop) => {
    const { status } = claim
    const known = typeof status === "string" && isStatus(status) ? status : undefined
    return known !== undefined && isCase(known, claim, store)
      ? alternative(claim, store, shop)
      : right.accept(claim, store, shop)
  }

const applyClaim: Parts["accept"] = async ({ key, status }, store) => {
  raise(store, key, status as Status)
  return 200
}

const overwrite: Parts["accept"] = async ({ key, status }, { standing }) => {
  standing.set(key, status as Status)
  return 200
}

const showBeforeRead: Parts["show"] = async (key, { standing }, { read }) => {
  const shown = standing.get(key)
  const [method, id] = key.split(" ") as [Method, string]
  const actual = await read(method, id).catch(() => undefined)
  if (actual !== undefined && shown !== undefined) standing.set(key, actual)
  return shown
}

/** Stands for the time that a write takes. */
const pause = () => new Promise((resolve) => setImmediate(resolve))

const neverSettles = new Promise<never>(() => {})

export const receivers = bugsOf<Partial<Parts>>({
  "a genuine callback whose amount is a JSON number is answered 200": {
    "an amount is parsed and written again": { parse: (bytes) => strict(bytes) && loose(bytes) }
  },
  "a genuine callback is answered 200": {
    "a callback waits until its order exists": {
      accept: async (claim, store, shop) =>
        (await shop.read(claim.method, claim.id).catch(() => undefined)) === undefined
          ? neverSettles
          : right.accept(claim, store, shop)
    },
    "the merchant's own query parameters are refused": {
      route: (query, fields) =>
        query.has("order") || query.has("q") ? undefined : right.route(query, fields)
    }
  },
  "a repeated callback is answered 200, like the first": {
    "a repeat is refused while the transaction is open": {
      accept: once(({ body, status }) => (isTerminal(status as Status) ? undefined : body), 409)
    },
    "a repeat is refused after the transaction has ended": {
      accept: where(
        (status, { key }, { standing }) => isTerminal(status) && standing.get(key) === status,
        async () => 409
      )
    },
    "a late callback is refused": {
      accept: where(
        (status, { key }, { standing }) => rank(status) < rank(standing.get(key) ?? ("" as Status)),
        async () => 409
      )
    }
  },
  "a callback with a valid checksum and unknown content is answered 200": {
    "an unknown status of an APM payment is refused": {
      accept: async (claim, store, shop) =>
        claim.method === "apm" && !isStatus(claim.status) ? 400 : right.accept(claim, store, shop)
    }
  },
  "a checksum that is not exactly right is answered 401": {
    "the checksum is decoded before it is compared": {
      isSigned: (expected, given) =>
        Buffer.from(expected, "base64").equals(Buffer.from(given, "base64"))
    },
    "the checksum header is trimmed": { isSigned: (expected, given) => expected === given.trim() },
    "a callback without a checksum is accepted": {
      isSigned: (expected, given) => given === "" || right.isSigned(expected, given)
    }
  },
  "every wrong checksum is answered alike": {
    "the response says why the checksum is wrong": {
      denial: (given) => (given === null ? "no checksum" : "wrong checksum")
    }
  },
  "an HTTP method other than POST is answered 405": {
    "the HTTP method is not checked": { isPost: () => true }
  },
  "a body larger than 64 KiB is answered 413": {
    "a body may have 66,000 bytes": { maxBytes: 66_000 }
  },
  "a content type or encoding other than plain JSON is answered 415": {
    "the content type is not checked": { isJson: () => true },
    "the content type only has to name JSON": {
      isJson: (type, encoding) => right.isJson(type.replace("problem+json", "json"), encoding)
    }
  },
  "a body that is not one well-formed JSON object is answered 400": {
    "the last of two fields with one name is taken": {
      parse: (bytes) => strict(bytes) ?? loose(bytes)
    },
    "the text after the first object is ignored": {
      parse: (bytes) => strict(bytes) ?? strict(bytes.subarray(0, bytes.lastIndexOf(0x7b)))
    }
  },
  "an ambiguous signed field is answered 400": {
    "signed fields are joined without validation": { text: (value) => [value].join() }
  },
  "a callback of an ambiguous kind is answered 400": {
    "kind confusion: the query is not checked": {
      route: (_, fields) => (["card", "apm"] as const).find((method) => has(fields, method))
    },
    "kind confusion: the fields of the other kind are not checked": {
      route: (query, fields) =>
        right.route(
          query,
          Object.fromEntries(
            Object.entries(fields).filter(
              ([name]) => query.get("paymentMethod") === "apm" || name !== "accountId"
            )
          )
        )
    }
  },
  "the rank of the reported status never falls": {
    "no rank check: last write wins": {
      accept: where((status) => !isTerminal(status), overwrite)
    },
    "a late status is shown until the next read": {
      accept: where(
        (status, { key }, { standing }) => !isTerminal(status) && standing.has(key),
        overwrite
      ),
      show: showBeforeRead
    }
  },
  "the receiver ends at the service's last terminal status, however the callbacks arrive": {
    "no status is stored after SUCCEED": {
      accept: where(
        (status, { key }, { standing }) =>
          rank(status) > rank("SUCCEED") && standing.get(key) === "SUCCEED",
        async () => 200
      )
    }
  },
  "a terminal status is reported only after the service has it": {
    "a forged status is stored": { accept: where(() => true, applyClaim) },
    "a claimed FAILED is stored without a read": {
      accept: where((status) => status === "FAILED", applyClaim)
    },
    "a claimed terminal status is shown until the next read": {
      accept: where(isTerminal, applyClaim),
      show: showBeforeRead
    },
    "a claim is stored if the read fails": {
      accept: where(isTerminal, async (claim, store, shop) => {
        const isFailed = (await reading(claim, shop)) === failed
        return (isFailed ? applyClaim : right.accept)(claim, store, shop)
      })
    }
  },
  "a forged callback does not suppress the genuine one after it": {
    "a callback is marked as seen before its status is confirmed": {
      accept: async (claim, store, shop) => {
        const note = `${claim.key} ${String(claim.status)}`
        if (store.notes.has(note)) return 200
        const answer = await right.accept(claim, store, shop)
        if (answer === 200) store.notes.add(note)
        return answer
      }
    }
  },
  "after two terminal statuses the receiver reports the service's last one": {
    "the first of two terminal statuses is kept": {
      accept: where(isTerminal, async (claim, store, shop) => {
        const actual = await reading(claim, shop)
        if (actual === failed) return 500
        if (actual !== undefined) raise(store, claim.key, actual as Status)
        return 200
      })
    }
  },
  "a late status does not replace CANCELLED": {
    "CANCELLED ranks below PROCESSING if no SUCCEED was claimed": {
      accept: where((status, { key }, { notes, standing }) => {
        if (status === "SUCCEED") notes.add(key)
        return status === "PROCESSING" && standing.get(key) === "CANCELLED" && !notes.has(key)
      }, overwrite)
    }
  },
  "the status of one transaction does not affect another": {
    "the second partial refund is dropped": {
      accept: once(
        ({ fields, status }) =>
          fields["refundId"] === undefined || !isTerminal(status as Status)
            ? undefined
            : [fields["mid"], fields["orderAmount"], status].join(),
        200
      )
    }
  },
  "a callback does not affect the transaction that only an unsigned field names (A27)": {
    "a refund is found by its refundId, which is not signed": {
      accept: (claim, store, shop) => {
        const { fields, id, method } = claim
        const { refundId = id } = fields
        return right.accept({ ...claim, key: `${method} ${String(refundId)}` }, store, shop)
      }
    }
  },
  "concurrent callbacks end at the same status as sequential ones": {
    "a concurrent write is overwritten": {
      accept: where(
        (status) => !isTerminal(status),
        async ({ key, status }, { standing }) => {
          const stored = standing.get(key)
          await pause()
          standing.set(
            key,
            stored && rank(stored) >= rank(status as Status) ? stored : (status as Status)
          )
          return 200
        }
      )
    }
  },
  "a failed read does not lose a callback": {
    "a callback is marked as seen before it is handled": {
      accept: async (claim, store, shop) => {
        const note = `${claim.key} ${String(claim.status)}`
        if (store.notes.has(note)) return 200
        store.notes.add(note)
        const answer = await right.accept(claim, store, shop)
        if (answer === 200) store.notes.delete(note)
        return answer
      }
    },
    "200 is answered before the write of an APM payment": {
      accept: async (claim, store, shop) => {
        const accepted = right.accept(claim, store, shop)
        return claim.method === "apm" ? 200 : accepted
      }
    }
  }
})

const ranks: Readonly<Record<string, number>> = {
  NEW: 1,
  PENDING: 2,
  PROCESSING: 3,
  CUSTOMER_VERIFICATION: 3,
  SUCCEED: 10,
  FAILED: 10,
  REFUNDED: 11,
  CHARGEBACK: 12
}

/**
 * A receiver that follows the specification to the letter: it ranks by the example ranking, and
 * reads nothing from the service.
 */
export const letterReceiver = (secret: string) => {
  const stored = new Map<string, string>()
  const seen = new Set<string>()
  const handle = (query: URLSearchParams, text: string, checksum: string | null): number => {
    const body = JSON.parse(text) as Readonly<Record<string, string>>
    const method = query.get("paymentMethod") === "card" ? "card" : "apm"
    const signed = names[method].map((name) => body[name]).join("|")
    if (createHmac("sha256", secret).update(signed).digest("base64") !== checksum) return 400
    const { transactionId = "", transactionStatus = "" } = body
    if (seen.has(`${transactionId} ${transactionStatus}`)) return 200
    seen.add(`${transactionId} ${transactionStatus}`)
    const key = `${method} ${transactionId}`
    if ((ranks[transactionStatus] ?? 0) > (ranks[stored.get(key) ?? ""] ?? 0)) {
      stored.set(key, transactionStatus)
    }
    return 200
  }
  return {
    send: async (request: Request) => {
      const { searchParams } = new URL(request.url)
      const status = handle(searchParams, await request.text(), request.headers.get("x-checksum"))
      return new Response(null, { status })
    },
    status: (method: "card" | "apm", id: string) => stored.get(`${method} ${id}`)
  }
}
