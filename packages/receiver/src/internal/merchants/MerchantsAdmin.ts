/** The responses about several merchants. `Merchants.layerAdmin` has the table of the requests. */
import { Ledger } from "@pawl/webhook/Ledger"
import * as Metrics from "@pawl/webhook/Metrics"
import * as Condition from "@pawl/webhook/internal/work/Condition"
import { Worker } from "@pawl/webhook/internal/work/Worker"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Access from "../admin/Access.ts"
import * as Operator from "../admin/Operator.ts"
import type { Overview, Secret } from "../admin/Overview.ts"
import * as Reply from "../admin/Response.ts"

/** The settings of `Admin`, and the secrets of each merchant, by its id. */
export interface Options extends Access.Options, Omit<Operator.Options, "secrets"> {
  readonly secrets?: Readonly<Record<string, ReadonlyArray<Secret>>> | undefined
}

export interface State extends Pick<Overview, "backlog" | "condition"> {
  readonly id: string
  readonly accounts: ReadonlyArray<string>
}

/** The merchants, by id. */
type Merchants = ReadonlyMap<
  string,
  { readonly accounts: ReadonlyArray<string>; readonly services: Context.Context<Ledger> }
>

export const make = Effect.fnUntraced(function* (
  merchants: Merchants,
  { secrets = {}, ...options }: Options
) {
  const all = yield* Effect.forEach(merchants, ([id, { accounts, services }]) =>
    Operator.make({ ...options, secrets: Object.hasOwn(secrets, id) ? secrets[id] : [] }).pipe(
      Effect.provideContext(services),
      Effect.map(({ condition, route, state }) => ({
        id,
        route,
        ledger: { labels: { merchant: id }, ledger: Context.get(services, Ledger) },
        isWritable: Effect.map(condition, ({ store }) => store === "writable"),
        state: Effect.map(state, (now): State => ({ id, accounts, ...now }))
      }))
    )
  )
  const byId = new Map(all.map((each) => [each.id, each]))
  const list = Effect.map(
    Effect.forEach(all, ({ state }) => state, { concurrency: "unbounded" }),
    (states) => Reply.json(states)
  )
  const metricsOf = (some: typeof all, only?: { readonly merchant: string }) =>
    Effect.map(
      Metrics.scrapeAll(
        some.map(({ ledger }) => ledger),
        only
      ),
      (body) => Reply.text(body, Metrics.contentType)
    )

  const route = (request: Reply.Request): Effect.Effect<Reply.Response> => {
    const only = (effect: Effect.Effect<Reply.Response>) =>
      request.method === "GET" ? effect : Effect.succeed(Reply.notAllowed("GET"))
    if (/^\/(?:merchants)?$/u.test(request.path)) return only(list)
    if (request.path === "/metrics") return only(metricsOf(all))
    const { id = "", path = "/" } = partsOf(request.path) ?? {}
    const merchant = byId.get(id)
    if (merchant === undefined) {
      return Effect.succeed(
        request.path.startsWith("/merchants/") ? Reply.notFound : Reply.severalMerchants
      )
    }
    if (path === "/metrics") return only(metricsOf([merchant], { merchant: id }))
    return Effect.map(merchant.route({ ...request, path }), (response) =>
      withPrefix(response, `/merchants/${id}`)
    )
  }
  return {
    respond: Access.guard(options, route, (path) =>
      path === "/" ? "/page/merchants.html" : partsOf(path)?.path === "/" ? "/" : path
    ),
    condition: yield* conditionOf(
      all.map(({ isWritable }) => isWritable),
      yield* Worker
    )
  }
})

/**
 * Reads the condition, which is ready while one of the stores can be written: a store that is down
 * must not take the others out of service. The number of stores is secret, because every network
 * may ask.
 */
const conditionOf = (checks: ReadonlyArray<Effect.Effect<boolean>>, worker: Worker["Service"]) => {
  let first = 0
  const check = Effect.gen(function* () {
    for (let tried = 0; tried < checks.length; tried++) {
      if (yield* checks[first] ?? Effect.succeed(false)) return true
      first = (first + 1) % checks.length
    }
    return false
  })
  return Effect.map(Condition.eachSecond(check), (isWritable) =>
    Effect.zipWith(isWritable, Condition.workerOf(worker), (writable, worker) => ({
      ready: writable && worker !== "ending",
      store: writable ? "writable" : "not writable",
      worker
    }))
  )
}

const partsOf = (path: string) => {
  const [, id, rest] = /^\/merchants\/([^/]+)(\/.*)?$/u.exec(path) ?? []
  return id === undefined ? undefined : { id, path: rest ?? "/" }
}

/** Adds the path of a merchant to the address of the next page. */
const withPrefix = (response: Reply.Response, prefix: string): Reply.Response => {
  const { link } = response.headers
  return link === undefined
    ? response
    : Reply.withHeaders(response, { link: link.replace(/^</u, `<${prefix}`) })
}
