/** The responses tell nothing of other merchants. */
import * as Effect from "effect/Effect"
import { MinimumLogLevel } from "effect/References"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { client, ledgerOf } from "@pawl/test-support/Places"
import { callback, make, searchOf, type Shop } from "@pawl/test-support/MerchantWorld"
import { repeats } from "@pawl/test-support/Repeats"
import { files, onPostgres } from "@pawl/test-support/Stores"
import { SqlClient } from "effect/sql/SqlClient"

const ids = ["shop-a", "shop-b", "shop-c", "shop-d"] as const
/** Signs callbacks, and is no merchant of the receiver. */
const outsider: Shop = { id: "outsider", accounts: ["9009"] }
const accountOf = (id: string): string => (id === "outsider" ? "9009" : `10${id.at(-1)}`)

const anyone = fc.constantFrom(...ids, "outsider")
/** A token in the URL was signed by `by` and names `names`. */
const sent = fc.record({
  signer: anyone,
  account: anyone.map(accountOf),
  url: fc.option(fc.record({ by: anyone, names: fc.option(anyone, { nil: undefined }) }), {
    nil: undefined
  }),
  transactionId: fc.constantFrom<string>("100001", "100002", "100003")
})

type Sent = typeof sent extends fc.Arbitrary<infer A> ? A : never

/** A third of the callbacks is as the service sends them. */
const genuine: fc.Arbitrary<Sent> = fc
  .tuple(fc.constantFrom(...ids), fc.constantFrom("none", "old", "new"), sent)
  .map(([id, token, { transactionId }]) => ({
    signer: id,
    account: accountOf(id),
    url: token === "none" ? undefined : { by: id, names: token === "new" ? id : undefined },
    transactionId
  }))

const addresseeOf = ({ account, url }: Sent): string | undefined => {
  const id = url?.names ?? ids.find((each) => accountOf(each) === account)
  return ids.find((each) => each === id)
}

const isAccepted = (each: Sent): boolean => {
  const addressee = addresseeOf(each)
  return (
    addressee !== undefined && addressee === each.signer && each.account === accountOf(addressee)
  )
}

/** The response tells the signer only its own id, secret and accounts. */
const statusFor = (each: Sent): number =>
  isAccepted(each) ? 200 : addresseeOf(each) === each.signer ? 400 : 401

type World = Effect.Success<ReturnType<typeof make>>

const incomingOf = ({ account, signer, transactionId, url }: Sent) => {
  const shopOf = (id: string): Shop => (id === "outsider" ? outsider : { id })
  const search = url && searchOf(shopOf(url.by), url.names, account)
  return callback(shopOf(signer), { accountId: account, transactionId }, search)
}

const check = (world: World, callbacks: ReadonlyArray<Sent>) =>
  Effect.gen(function* () {
    const statuses = yield* Effect.forEach(callbacks, (each) => world.receive(incomingOf(each)), {
      concurrency: 8
    })
    expect(statuses).toEqual(callbacks.map(statusFor))
    for (const id of ids) {
      for (const transactionId of new Set(callbacks.map((each) => each.transactionId))) {
        const own = callbacks.filter(
          (each) => isAccepted(each) && each.signer === id && each.transactionId === transactionId
        )
        const row = yield* world.rowOf(id, transactionId)
        expect(row?.callbacks ?? 0, `${id} ${transactionId}`).toBe(own.length)
      }
    }
  })

const callbacks = fc.array(
  fc.oneof({ weight: 1, arbitrary: genuine }, { weight: 2, arbitrary: sent }),
  { minLength: 1, maxLength: 40 }
)
const shopOf = (id: string): Shop => ({ id, accounts: [accountOf(id)] })

/** Each run has its own transactions. */
const holds = (shops: ReadonlyArray<Shop>, numRuns: number) =>
  Effect.gen(function* () {
    const world = yield* make(shops)
    const services = yield* Effect.context()
    let run = 0
    const property = fc.asyncProperty(callbacks, (drawn) => {
      run++
      const own = drawn.map((each) => ({ ...each, transactionId: `${each.transactionId}-${run}` }))
      return Effect.runPromiseWith(services)(check(world, own))
    })
    yield* Effect.promise(() => fc.assert(property, { numRuns }))
  }).pipe(Effect.scoped, Effect.provideService(MinimumLogLevel, "None"), Effect.runPromise)

describe("many merchants in one receiver", async () => {
  it("accept their own callbacks alone, and answer about unknown merchants as about others", () =>
    holds(ids.map(shopOf), repeats(300)))

  const file = files()
  it("keep their rows in files of their own", () =>
    holds(
      ids.map((id) => ({ ...shopOf(id), ledger: ledgerOf(file()) })),
      5
    ))

  await onPostgres((place) => {
    it("keep their rows in schemas of one database", async () => {
      const schemaOf = (id: string) => id.replace("-", "_")
      const createSchemas = Effect.flatMap(SqlClient, (sql) =>
        Effect.forEach(ids, (id) => sql`CREATE SCHEMA ${sql(schemaOf(id))}`)
      )
      await Effect.runPromise(Effect.provide(createSchemas, client(place)))
      const shops = ids.map((id) => ({
        ...shopOf(id),
        ledger: ledgerOf(place, { startupParameters: { search_path: schemaOf(id) } })
      }))
      await holds(shops, 3)
    })
  })
})
