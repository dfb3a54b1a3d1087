/** The requests of the laws: genuine callbacks, and callbacks with one change. */
import { signedNames } from "@pawl/core/internal/SignedFields"
import type { Sign } from "@pawl/core/Checksum"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "@pawl/webhook/Verifier"
import * as Base64 from "effect/encoding/Base64"
import * as CallbackRequests from "../../generators/CallbackRequests.ts"
import * as ChecksumEncoding from "./ChecksumEncoding.ts"

/**
 * A callback before it is signed: `text` is the text under the checksum, and `incoming` the rest of
 * the request.
 */
export interface CallbackRequest {
  readonly note: string
  readonly incoming: Omit<Incoming, "checksum">
  readonly text: string
  readonly encoding: ChecksumEncoding.ChecksumEncoding
}

export const fromContent = (
  note: string,
  content: CallbackRequests.CallbackContent
): CallbackRequest => {
  let text = ""
  const incoming = CallbackRequests.toIncoming((signed) => {
    text = signed
    return noBytes
  }, content)
  return { note, incoming, text, encoding: ChecksumEncoding.exact }
}

export const withBodyInNote = (
  adjective: string,
  content: CallbackRequests.CallbackContent
): CallbackRequest => {
  const request = fromContent("", content)
  const body = utf8.decode.decode(request.incoming.body)
  return { ...request, note: `${adjective} ${content.method} callback ${body}` }
}

export const withTransactionId = (
  request: CallbackRequest,
  transactionId: string
): CallbackRequest => {
  const { incoming, text } = request
  const old = text.slice(text.lastIndexOf("|") + 1)
  const body = utf8.decode
    .decode(incoming.body)
    .replace(`"transactionId":"${old}"`, `"transactionId":"${transactionId}"`)
  return {
    ...request,
    incoming: { ...incoming, body: utf8.encode.encode(body) },
    text: `${text.slice(0, -old.length)}${transactionId}`
  }
}

const noBytes = new Uint8Array()

export const toRequest = (
  sign: Sign,
  url: string,
  callback: CallbackRequest,
  signal?: AbortSignal
): Request => {
  const { body, contentEncoding, contentType, method, search } = callback.incoming
  const checksum = callback.encoding.write(Base64.encode(sign(callback.text)))
  const headers = {
    "content-type": contentType,
    "content-encoding": contentEncoding,
    "x-checksum": checksum
  }
  const present = Object.entries(headers).flatMap(([name, value]): Array<[string, string]> =>
    value === undefined ? [] : [[name, value]]
  )
  return new Request(withQuery(url, search), {
    method,
    headers: present,
    redirect: "manual",
    ...(signal && { signal }),
    ...(!isBodiless(callback) && { body: body.slice() })
  })
}

export const withQuery = (url: string, search: string): string =>
  `${url}${url.includes("?") ? search.replace("?", "&") : search}`

export const isBodiless = ({ incoming }: CallbackRequest): boolean =>
  /^(?:GET|HEAD)$/u.test(incoming.method)

const utf8 = { decode: new TextDecoder(), encode: new TextEncoder() }

/** Change of a callback: that of a signed field in `body` also changes `text`. */
export interface Change {
  readonly note: string
  readonly incoming?: Partial<Omit<Incoming, "checksum" | "body">>
  readonly search?: (search: string, method: Method) => string
  readonly body?: (text: string, method: Method) => string | Uint8Array<ArrayBuffer>
  readonly text?: (text: string) => string
  readonly encoding?: ChecksumEncoding.ChecksumEncoding
}

/** Makes a genuine callback, whose transaction the service does not have. */
export const genuine = (method: Method): CallbackRequests.CallbackContent => ({
  method,
  signed: {
    account: accountOf[method],
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

export const accountOf: Readonly<Record<Method, string>> = { card: "mid-1", apm: "4711" }

export const changed = (method: Method, change: Change): CallbackRequest => {
  const note = `${method} callback, ${change.note}`
  const { encoding, incoming, text } = fromContent(note, genuine(method))
  const body = utf8.decode.decode(incoming.body)
  const changedBody = change.body?.(body, method) ?? body
  return {
    note,
    incoming: {
      ...incoming,
      ...change.incoming,
      search: change.search?.(incoming.search, method) ?? incoming.search,
      body: typeof changedBody === "string" ? utf8.encode.encode(changedBody) : changedBody
    },
    text: change.text?.(text) ?? text,
    encoding: change.encoding ?? encoding
  }
}

export const signedField = (method: Method, at: 0 | 1 | 2 | 3): string => signedNames[method][at]
