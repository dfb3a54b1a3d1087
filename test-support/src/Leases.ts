import { Records } from "@pawl/webhook/internal/records/Records"
import * as Effect from "effect/Effect"

export const end = Effect.gen(function* () {
  for (const records of (yield* Records).own) {
    for (const collection of ["transactions", "requests"] as const) {
      let after: string | undefined = ""
      while (after !== undefined) {
        const keys: { readonly all: ReadonlyArray<string>; readonly last: string | undefined } =
          yield* Effect.map(records.page(collection, { after, limit: 100 }), ({ found, last }) => ({
            all: found.map(({ key }) => key),
            last
          }))
        yield* Effect.forEach(
          keys.all,
          (key) =>
            collection === "transactions"
              ? records.change(collection, key, (rows) => ({
                  value: rows?.map(ended),
                  result: undefined
                }))
              : records.change(collection, key, (row) => ({
                  value: row && ended(row),
                  result: undefined
                })),
          { concurrency: 16, discard: true }
        )
        after = keys.last
      }
    }
  }
})

const ended = <A extends { readonly lease: { readonly until: number } | undefined }>(of: A): A =>
  of.lease === undefined ? of : { ...of, lease: { ...of.lease, until: 0 } }
