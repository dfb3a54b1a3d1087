/**
 * What the service asks of a request beyond the contract, and what it says in every answer.
 */
import { AccountId, Metadata } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scenario from "../../Scenario.ts"
import type { Transaction } from "./Book.ts"

/** Schema for metadata that asks for a scenario there is, or for none. */
export const AskedMetadata = Schema.optionalKey(
  Metadata.check(
    Schema.makeFilter((metadata) =>
      asked(metadata, "succeed") === undefined
        ? {
            path: [Scenario.key],
            issue: `Expected a scenario of the sandbox: ${Scenario.stories.join(", ")}, and then any of ${Scenario.manners.map((manner) => `+${manner}`).join(" ")}`
          }
        : undefined
    )
  )
)

/**
 * Schema for the merchant account of card operations; a callback's checksum joins it with others.
 */
export const Mid = AccountId

/**
 * Returns the scenario that checked metadata asks for. `story` takes the place of the default one,
 * `succeed`, and leaves the delivery suffixes.
 */
export const scenarioOf = (
  metadata: Metadata | undefined,
  story = "succeed"
): Effect.Effect<Scenario.Scenario> => Effect.orDie(Effect.fromNullishOr(asked(metadata, story)))

const asked = (metadata: Metadata | undefined, story: string): Scenario.Scenario | undefined =>
  Scenario.parse((metadata?.[Scenario.key] ?? "succeed").replace(/^succeed(?=\+|$)/u, story))

/** Returns what every answer about a transaction says of it. */
export const told = ({ declineCode, metadata, status }: Transaction) => ({
  transactionStatus: status,
  ...present({ declineCode, metadata })
})

/** Leaves out what is undefined. */
export const present = <Fields extends object>(
  fields: Fields
): { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined>
  }
