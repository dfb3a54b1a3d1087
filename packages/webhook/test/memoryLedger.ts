/** Ledgers in memory, and rows that are written into them. */
import { kindsOf, type Kind } from "@pawl/core/Kind"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import * as RequestStore from "../src/internal/ledger/RequestStore.ts"
import * as Codecs from "../src/internal/records/Codecs.ts"
import * as Engine from "../src/internal/records/Engine.ts"
import * as Engines from "../src/internal/records/Engines.ts"
import * as MemoryStore from "../src/internal/records/MemoryStore.ts"
import type { DeadLetter } from "../src/internal/rule/Row.ts"
import type { NewRequest, RequestRow } from "../src/internal/rule/RequestRow.ts"
import * as RequestRule from "../src/internal/rule/RequestRule.ts"
import * as StoredRow from "../src/internal/rule/StoredRow.ts"
import { Ledger } from "../src/Ledger.ts"

/** Reads no request whose id starts with "damaged". */
const codecs: Codecs.Codecs<unknown> = {
  ...Codecs.values,
  requests: {
    encode: (row) => row,
    decode: (row, key) => {
      if (key.startsWith("damaged")) throw new Error("damaged")
      return row
    }
  }
}

/** A store of two shards in memory, or of one. */
export const build = Effect.fnUntraced(function* (shards = 2) {
  let versions = 0
  const makeEngine = Effect.suspend(() =>
    Engine.makeLocal(MemoryStore.make(), codecs, () => ++versions * 2 ** 24)
  )
  const others = yield* Effect.replicateEffect(makeEngine, shards - 1)
  const engines = Engines.make([yield* makeEngine, ...others])
  const services = RequestStore.services(engines)
  const write = (id: string, value: StoredRow.StoredRows) =>
    engines
      .of({ method: "card", transactionId: id })
      .change("transactions", `${id}\tcard`, () => ({ value, result: undefined }))
  return {
    engines,
    ledger: Context.get(services, Ledger),
    requests: Context.get(services, RequestStore.RequestStore),
    write
  }
})

export const scopes = ["card", ...kindsOf.card] as const

/** Makes the rows of some ids, at most one of each kind; many ids have none. */
export const documentsOf = <Row extends { readonly scope: Kind }>(row: fc.Arbitrary<Row>) => {
  const rows = fc.uniqueArray(row, { selector: ({ scope }) => scope, maxLength: 3 })
  return fc.array(fc.oneof(fc.constant<Array<Row>>([]), rows), { maxLength: 25 })
}

export const storedRow = (
  id: string,
  {
    at,
    reason = "handler-failed",
    scope = "card"
  }: {
    readonly at?: number | undefined
    readonly reason?: DeadLetter["reason"]
    readonly scope?: Kind
  } = {}
): StoredRow.StoredRow => {
  const { row, ...stored } = StoredRow.newRow("card", id, 1000)
  const deadLetter = at === undefined ? undefined : { reason, at, to: undefined }
  return { ...stored, row: { ...row, scope, deadLetter } }
}

export const newRequest = (requestId: string, changes?: Partial<NewRequest>): NewRequest => ({
  requestId,
  kind: "card-payment",
  digest: "digest",
  hasCardData: false,
  ...changes
})

export const requestRow = (requestId: string): RequestRow => ({
  ...RequestRule.write(newRequest(requestId, { kind: "apm-payment", body: "sealed" }), 0),
  dueAt: undefined
})
