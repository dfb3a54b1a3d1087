import { check, type Faulty, type Machine, type Mutants } from "./Checker.ts"
import * as Protocol from "./Protocol.ts"
import * as RequestRules from "./RequestRules.ts"
import * as Requests from "./Requests.ts"
import * as Rules from "./Rules.ts"
import * as Store from "./Store.ts"

const of = <Scope, Change, State extends Faulty>(
  model: string,
  scopes: ReadonlyArray<Scope>,
  broken: Mutants<Scope, Change>,
  machine: (scope: Scope, change?: Change) => Machine<State>
) => [
  ...scopes.map((scope) => ({
    name: `${model} ${JSON.stringify(scope)}`,
    breaks: undefined,
    check: () => check(machine(scope))
  })),
  ...Object.entries(broken).map(([name, [breaks, scope, change]]) => ({
    name,
    breaks,
    check: () => check(machine(scope, change))
  }))
]

const all = [
  ...of("protocol", Rules.scopes, Rules.mutants, Protocol.machine),
  ...of("requests", RequestRules.scopes, RequestRules.mutants, Requests.machine),
  ...of("engine", Store.scopes, Store.mutants, Store.machine)
]

export const models = all.filter(({ breaks }) => breaks === undefined)
export const mutants = all.filter(({ breaks }) => breaks !== undefined)
