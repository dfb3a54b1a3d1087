/**
 * The three models: of the protocol, of a durable request, and of the engine.
 */
import { check, type Outcome } from "./Checker.ts"
import * as Protocol from "./Protocol.ts"
import * as Requests from "./Requests.ts"
import * as Rules from "./Rules.ts"
import * as Store from "./Store.ts"

export interface Check {
  readonly name: string
  readonly check: () => Outcome
  readonly breaks?: string
}

const nameOf = (model: string, scope: object): string => `${model} ${JSON.stringify(scope)}`

export const models: ReadonlyArray<Check> = [
  ...Rules.scopes.map((scope) => ({
    name: nameOf("protocol", scope),
    check: () => check(Protocol.machine(scope))
  })),
  ...Requests.scopes.map((scope) => ({
    name: nameOf("requests", scope),
    check: () => check(Requests.machine(scope))
  })),
  ...Store.scopes.map((scope) => ({
    name: nameOf("engine", scope),
    check: () => check(Store.machine(scope))
  }))
]

export const mutants: ReadonlyArray<Required<Check>> = [
  ...Object.entries(Rules.mutants).map(([rule, { breaks, mutant, scope }]) => ({
    name: mutant,
    breaks,
    check: () => check(Protocol.machine({ ...scope, without: rule as Rules.Rule }))
  })),
  ...Requests.mutants.map(({ breaks, change, mutant, scope }) => ({
    name: mutant,
    breaks,
    check: () => check(Requests.machine(scope, change))
  })),
  ...Object.entries(Store.mutants).map(([rule, { breaks, mutant, scope }]) => ({
    name: mutant,
    breaks,
    check: () => check(Store.machine(scope, rule as Store.Rule))
  }))
]
