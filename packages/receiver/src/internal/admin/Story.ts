/**
 * The stories of the admin API, and who redrives a dead letter.
 */
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import type { Method } from "@pawl/core/Kind"
import * as Effect from "effect/Effect"
import type { Note } from "@pawl/webhook/internal/rule/Fact"
import type { Ledger } from "@pawl/webhook/Ledger"
import * as StoredRow from "@pawl/webhook/internal/rule/StoredRow"
import * as StoryReport from "../story/StoryReport.ts"
import { invalid, json, notFound, type Response } from "./Response.ts"

export const show = (
  ledger: Ledger["Service"],
  { method, transactionId }: { readonly method: Method; readonly transactionId: string },
  query: URLSearchParams
): Effect.Effect<Response, StoreUnavailable> =>
  Effect.map(ledger.story(method, transactionId), (stories) => {
    const story = StoredRow.findStory(stories, query.get("kind") ?? method)
    return story === undefined ? notFound : json(StoryReport.make(story))
  })

const limits = { by: 32, why: 64 } as const

export const noteIn = (query: URLSearchParams): { readonly note: Note } | Response => {
  for (const [name, most] of Object.entries(limits)) {
    const text = query.get(name) ?? ""
    if (/[\p{Cc}\p{Cs}]/u.test(text) || new TextEncoder().encode(text).length > most) {
      return invalid(`${name} must be at most ${most} bytes of text without control characters`)
    }
  }
  return { note: { by: query.get("by") || undefined, why: query.get("why") || undefined } }
}
