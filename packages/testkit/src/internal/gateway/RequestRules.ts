/** Rules for requests beyond the contract. */
import type { Metadata } from "@pawl/core/Transaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scenario from "../../Scenario.ts"
import type { Transaction } from "./Transaction.ts"

/** `others` names the scenarios that only one endpoint has. */
export const scenarioMetadata = (others = "") =>
  Schema.optionalKey(
    Schema.Struct({
      [Scenario.key]: Schema.optionalKey(
        Schema.String.check(
          Schema.makeFilter(
            (text) =>
              parse(text, "succeed") !== undefined ||
              `Expected a scenario of the sandbox: ${Scenario.stories.join(", ")}, followed by any of ${Scenario.suffixes.map((suffix) => `+${suffix}`).join(" ")}${others}`
          )
        )
      )
    })
  )

export const ScenarioMetadata = scenarioMetadata()

/** `story` replaces the default `succeed`, and keeps the delivery suffixes. */
export const scenarioOf = (
  metadata: Metadata | undefined,
  story = "succeed"
): Effect.Effect<Scenario.Scenario> =>
  Effect.orDie(Effect.fromNullishOr(parse(metadata?.[Scenario.key], story)))

const parse = (text = "succeed", story: string): Scenario.Scenario | undefined =>
  Scenario.parse(text.replace(/^succeed(?=\+|$)/u, story))

export const statusFields = ({ declineCode, metadata, status }: Transaction) => ({
  transactionStatus: status,
  ...withoutUndefined({ declineCode, metadata })
})

export const apmStatusFields = (transaction: Transaction) => ({
  ...statusFields(transaction),
  ...withoutUndefined({ declineSubReason: transaction.declineSubReason })
})

export const withoutUndefined = <Fields extends object>(fields: Fields): Defined<Fields> => {
  const defined: Partial<Fields> = {}
  for (const name in fields) if (fields[name] !== undefined) defined[name] = fields[name]
  return defined as Defined<Fields>
}

type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

/** Keeps the unknown fields of a request beside the others. */
export const flat = ({
  unknownFields,
  ...fields
}: {
  readonly unknownFields?: Readonly<Record<string, unknown>>
}): object => ({ ...unknownFields, ...fields })
