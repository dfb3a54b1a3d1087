/**
 * The three models: of the protocol, of a durable request, and of the engine.
 */
import { check, type Machine, type Faulty } from "./Checker.ts"
import * as Protocol from "./Protocol.ts"
import * as RequestRules from "./RequestRules.ts"
import * as Requests from "./Requests.ts"
import * as Rules from "./Rules.ts"
import * as Store from "./Store.ts"

const intact = <Scope, State extends Faulty>(
  model: string,
  scopes: ReadonlyArray<Scope>,
  machine: (scope: Scope) => Machine<State>
) =>
  scopes.map((scope) => ({
    name: `${model} ${JSON.stringify(scope)}`,
    check: () => check(machine(scope))
  }))

export const models = [
  ...intact("protocol", Rules.scopes, Protocol.machine),
  ...intact("requests", RequestRules.scopes, Requests.machine),
  ...intact("engine", Store.scopes, Store.machine)
]

export const mutants = [
  ...Object.entries(Rules.mutants).map(([rule, [breaks, scope, name]]) => ({
    name,
    breaks,
    check: () => check(Protocol.machine({ ...scope, without: rule as Rules.Rule }))
  })),
  ...RequestRules.mutants.map(({ breaks, change, name, scope }) => ({
    name,
    breaks,
    check: () => check(Requests.machine(scope, change))
  })),
  ...Object.entries(Store.mutants).map(([rule, [breaks, scope, name]]) => ({
    name,
    breaks,
    check: () => check(Store.machine(scope, rule as Store.Rule))
  }))
]
