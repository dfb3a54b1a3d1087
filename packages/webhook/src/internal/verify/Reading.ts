/**
 * Reads a request that may be a callback, as far as no secret is needed.
 */
import type { Signed } from "@pawl/core/Callback"
import type { Refusal } from "@pawl/core/CallbackError"
import * as Json from "@pawl/core/Json"
import type { Method } from "@pawl/core/Kind"
import type { Incoming } from "../../Verification.ts"
import * as Layout from "./Layout.ts"

/** The most bytes of a body. */
export const maxBytes = 64 * 1024

/** A request with the fields of a callback. Nothing of it is verified. */
export interface Reading {
  readonly method: Method
  readonly token: string | undefined
  readonly signed: Signed
  readonly draft: Json.Draft
}

/** Makes a refusal. */
export const refuse = (status: Refusal["status"], reason: string): Refusal => ({ status, reason })

const jsonType = /^application\/json(?:\s*;\s*charset\s*=\s*"?utf-8"?)?\s*$/i

/** Reads a request, or refuses it. */
export const read = (incoming: Incoming): Reading | Refusal => {
  if (incoming.method !== "POST") return refuse(405, "the method is not POST")
  if (incoming.body.length > maxBytes) return refuse(413, "the body is larger than 64 KiB")
  if (incoming.contentEncoding !== undefined && incoming.contentEncoding !== "identity") {
    return refuse(415, "the body has a content encoding")
  }
  if (!jsonType.test(incoming.contentType ?? "")) {
    return refuse(415, "the content type is not JSON")
  }
  const draft = Json.draftBytes(incoming.body)
  if ("fault" in draft) return refuse(400, `the body is not valid JSON: ${draft.fault}`)
  if (!Layout.isBody(draft.json)) return refuse(400, "the body is not a JSON object")
  const route = Layout.routeOf(incoming.search, draft.json)
  if ("reason" in route) return route
  const signed = Layout.signedOf(route.method, draft.json, draft.sourceOf)
  return "reason" in signed ? signed : { ...route, signed, draft }
}
