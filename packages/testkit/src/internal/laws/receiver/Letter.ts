/**
 * Callbacks as a law of a receiver sends them: genuine ones, and those with something wrong about them.
 *
 * @since 0.1.0
 */
import { signedNames } from "@pawl/core/Callback"
import type { Sign } from "@pawl/core/Checksum"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Base64 from "effect/encoding/Base64"
import * as CallbackRequests from "../../../Generators/CallbackRequests.ts"
import type { Spelling } from "./Spelling.ts"
import * as Spellings from "./Spelling.ts"

/**
 * A callback before it is signed: `text` is what the checksum is taken over, `spelling` how it is written,
 * and `incoming` everything else. `note` says what it is, in a few words.
 *
 * @category models
 * @since 0.1.0
 */
export interface Letter {
  readonly note: string
  readonly incoming: Omit<Incoming, "checksum">
  readonly text: string
  readonly spelling: Spelling
}

/**
 * Makes the letter of a post, whose checksum holds.
 *
 * @category constructors
 * @since 0.1.0
 */
export const of = (note: string, post: CallbackRequests.CallbackContent): Letter => {
  let text = ""
  const incoming = CallbackRequests.toIncoming((signed) => {
    text = signed
    return nothing
  }, post)
  return { note, incoming, text, spelling: Spellings.exact }
}

/**
 * Makes the same letter, whose note shows its body.
 *
 * @category constructors
 * @since 0.1.0
 */
export const said = (word: string, post: CallbackRequests.CallbackContent): Letter => {
  const letter = of("", post)
  const body = utf8.decode.decode(letter.incoming.body)
  return { ...letter, note: `${word} ${post.method} callback ${body}` }
}

/**
 * Makes the same letter of another transaction.
 *
 * @category constructors
 * @since 0.1.0
 */
export const renamed = (letter: Letter, transactionId: string): Letter => {
  const { incoming, text } = letter
  const old = text.slice(text.lastIndexOf("|") + 1)
  const body = utf8.decode.decode(incoming.body).replace(`"${old}"`, `"${transactionId}"`)
  return {
    ...letter,
    incoming: { ...incoming, body: utf8.encode.encode(body) },
    text: `${text.slice(0, -old.length)}${transactionId}`
  }
}

const nothing = new Uint8Array()

/**
 * Makes the request of a letter, at a URL.
 *
 * @category conversions
 * @since 0.1.0
 */
export const toRequest = (sign: Sign, url: string, letter: Letter): Request => {
  const { body, contentEncoding, contentType, method, search } = letter.incoming
  const checksum = letter.spelling.write(Base64.encode(sign(letter.text)))
  const headers = {
    "content-type": contentType,
    "content-encoding": contentEncoding,
    "x-checksum": checksum
  }
  const present = Object.entries(headers).flatMap(([name, value]): Array<[string, string]> =>
    value === undefined ? [] : [[name, value]]
  )
  return new Request(at(url, search), {
    method,
    headers: present,
    redirect: "manual",
    ...(!isBodiless(letter) && { body: body.slice() })
  })
}

/**
 * Appends a query to a URL, which may have one of its own.
 *
 * @category conversions
 * @since 0.1.0
 */
export const at = (url: string, search: string): string =>
  `${url}${url.includes("?") ? search.replace("?", "&") : search}`

/**
 * Tells whether a letter has a method that carries no body.
 *
 * @category guards
 * @since 0.1.0
 */
export const isBodiless = ({ incoming }: Letter): boolean => /^(?:GET|HEAD)$/u.test(incoming.method)

const utf8 = { decode: new TextDecoder(), encode: new TextEncoder() }

/**
 * What is changed about a genuine callback of a method. `body` is its text; a change of a signed field
 * changes `text` as well, so that the checksum holds wherever a receiver joins what it finds.
 *
 * @category models
 * @since 0.1.0
 */
export interface Change {
  readonly note: string
  readonly incoming?: Partial<Omit<Incoming, "checksum" | "body">>
  readonly search?: (search: string, method: Method) => string
  readonly body?: (text: string, method: Method) => string | Uint8Array<ArrayBuffer>
  readonly text?: (text: string) => string
  readonly spelling?: Spelling
}

/**
 * A genuine callback of a transaction that nobody knows.
 *
 * @category constructors
 * @since 0.1.0
 */
export const genuine = (method: Method): CallbackRequests.CallbackContent => ({
  method,
  signed: {
    account: account[method],
    amount: "10.00",
    currency: "EUR",
    transactionId: "conform-1"
  },
  status: "PENDING",
  amount: "text",
  unsigned: {},
  apmType: "WALLET",
  query: []
})

/**
 * The merchant account of each method.
 *
 * @category constants
 * @since 0.1.0
 */
export const account: Readonly<Record<Method, string>> = { card: "mid-1", apm: "4711" }

/**
 * Makes the letter of a genuine callback with something changed about it.
 *
 * @category constructors
 * @since 0.1.0
 */
export const changed = (method: Method, change: Change): Letter => {
  const { incoming, spelling, text } = of(`${method} callback, ${change.note}`, genuine(method))
  const body = utf8.decode.decode(incoming.body)
  const after = change.body?.(body, method) ?? body
  return {
    note: `${method} callback, ${change.note}`,
    incoming: {
      ...incoming,
      ...change.incoming,
      search: change.search?.(incoming.search, method) ?? incoming.search,
      body: typeof after === "string" ? utf8.encode.encode(after) : after
    },
    text: change.text?.(text) ?? text,
    spelling: change.spelling ?? spelling
  }
}

/**
 * Returns the name that a signed field has in a method, by its place.
 *
 * @category getters
 * @since 0.1.0
 */
export const field = (method: Method, at: 0 | 1 | 2 | 3): string => signedNames[method][at]
