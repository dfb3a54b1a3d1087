/**
 * Gives a store to the same service at a new base URL: seals its texts anew, and then changes the
 * owner. An interrupted rename is repeated. No receiver may run.
 */
import type { Account } from "@pawl/core/Account"
import type { StoreUnavailable } from "@pawl/core/CallbackError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Part, Seal } from "../../Seal.ts"
import * as Settings from "../ledger/Settings.ts"
import { changeEach, countOf, each, eachPage, type Engines } from "../records/Engines.ts"
import type { RequestRow } from "../rule/RequestRow.ts"

/**
 * Returns undefined if the store belongs to the service at another base URL, else the number of open
 * requests that no key opened. A rename with their keys seals them anew.
 */
export const rename = Effect.fnUntraced(function* (
  engines: Engines,
  seal: Seal["Service"],
  from: string,
  to: string
): Effect.fn.Return<number | undefined, StoreUnavailable> {
  const owners = yield* Settings.ownersOf(engines)
  const [owner] = owners
  const isOurs = (each: typeof owner) => each?.baseUrl === from || each?.baseUrl === to
  if (owner === undefined || !owners.every(isOurs)) return undefined
  let unopened = 0
  const old = { ...owner, baseUrl: from }
  const renamed = { ...owner, baseUrl: to }
  yield* each(engines, (records) =>
    eachPage(
      records,
      "requests",
      Effect.fnUntraced(function* (found) {
        for (const { key, value } of found) {
          const sealedAnew = (part: Part["part"], text: string | undefined) =>
            reseal(seal, { requestId: key, kind: value.kind, part }, text, old, renamed)
          const body = yield* sealedAnew("body", value.body)
          if (value.outcome === undefined && body !== undefined) {
            const part = { requestId: key, kind: value.kind, part: "body" } as const
            const opened = seal.open({ ...part, account: renamed }, body)
            if (!(yield* Effect.isSuccess(opened))) unopened++
          }
          const text = yield* sealedAnew("outcome", textOf(value))
          const changed = changeEach(records, "requests", [key], () => (row) => ({
            value: row && withTexts(row, body, text),
            result: 1
          }))
          yield* Effect.flatMap(changed, countOf)
        }
      })
    )
  )
  yield* each(engines, (records) => Settings.setOwner(records, renamed))
  return unopened
})

const textOf = ({ outcome }: RequestRow): string | undefined =>
  outcome !== undefined && "text" in outcome ? outcome.text : undefined

const withTexts = (
  row: RequestRow,
  body: string | undefined,
  text: string | undefined
): RequestRow => ({
  ...row,
  body,
  outcome: row.outcome && "text" in row.outcome ? { ...row.outcome, text } : row.outcome
})

/** Seals a text anew; one that does not open for the old account stays as it is. */
const reseal = (
  seal: Seal["Service"],
  part: Part,
  text: string | undefined,
  old: Account,
  renamed: Account
): Effect.Effect<string | undefined> =>
  text === undefined
    ? Effect.undefined
    : Effect.flatMap(Effect.option(seal.open({ ...part, account: old }, text)), (opened) =>
        Option.isNone(opened)
          ? Effect.succeed(text)
          : seal.seal({ ...part, account: renamed }, opened.value)
      )
