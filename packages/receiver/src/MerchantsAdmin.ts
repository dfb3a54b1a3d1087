/**
 * The admin API of a receiver of several merchants (`Merchants`).
 *
 * **Details**
 *
 * | request | response |
 * |---|---|
 * | `GET /merchants` | each merchant with his id, accounts, condition and backlog |
 * | any request of `Admin`, with `/merchants/{id}` before its path | the response for this merchant; 404 if he is unknown |
 * | `GET /`, `GET /merchants/{id}/` | the pages for a person, if they are among the options: the list, and one merchant |
 * | `GET /metrics` | the metrics of all merchants; those of one have the label `merchant` |
 * | `GET /merchants/{id}/metrics` | those with the label of this merchant |
 *
 * Access is as in `Admin`, and to all merchants.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Activity from "@pawl/webhook/internal/journal/Activity"
import * as Admin from "./Admin.ts"
import * as Access from "./internal/admin/Access.ts"
import type { Secret } from "./internal/admin/Overview.ts"
import * as Reply from "./internal/admin/Response.ts"
import * as Condition from "@pawl/webhook/internal/work/Condition"
import * as LedgerClock from "@pawl/webhook/internal/ledger/LedgerClock"
import { Journal } from "@pawl/webhook/Journal"
import { Ledger } from "@pawl/webhook/Ledger"
import { Merchants, type Services } from "./Merchants.ts"
import * as Metrics from "@pawl/webhook/Metrics"
import { Worker } from "@pawl/webhook/internal/work/Worker"

/**
 * The settings of the admin API: those of `Admin`, and the secrets of each merchant, by his id.
 *
 * @category models
 * @since 0.1.0
 */
export interface Options extends Omit<Admin.Options, "secrets"> {
  readonly secrets?: Readonly<Record<string, ReadonlyArray<Secret>>> | undefined
}

/**
 * Layer that responds with the rows of the merchants.
 *
 * @category layers
 * @since 0.1.0
 */
export const layer = (options: Options = {}): Layer.Layer<Admin.Admin, never, Merchants> =>
  Layer.effect(
    Admin.Admin,
    Effect.gen(function* () {
      const merchants = yield* Merchants
      const accessOf = Access.make(options)
      const all = new Map(
        yield* Effect.forEach(merchants, ([id, { accounts, services }]) =>
          Effect.map(one(id, accounts, services, options), (made) => [id, made] as const)
        )
      )
      const list = Effect.map(
        Effect.forEach([...all.values()], ({ state }) => state, { concurrency: "unbounded" }),
        (states) => Reply.json(states)
      )
      const ledgers = [...merchants].map(([merchant, { services }]) => ({
        labels: { merchant },
        ledger: Context.get(services, Ledger)
      }))
      const metricsOf = (some: typeof ledgers, only?: { readonly merchant: string }) =>
        Effect.map(Metrics.scrapeAll(some, only), (body) => Reply.text(body, Metrics.contentType))

      const respond = (request: Admin.Request): Effect.Effect<Admin.Response> => {
        const { headers, method, path } = request
        const access = accessOf(headers)
        if (access === "hidden") return Effect.succeed(Reply.notFound)
        const only = (effect: Effect.Effect<Admin.Response>) =>
          method === "GET" ? effect : Effect.succeed(Reply.notAllowed("GET"))
        const [, collection, id = "", ...rest] = path.split("/")
        const isPage = collection === "merchants" && id !== "" && rest.join("") === ""
        const file = options.page?.get(path === "/" ? "/page/merchants.html" : isPage ? "/" : path)
        if (file !== undefined) return only(Effect.succeed(file))
        const merchant = collection === "merchants" ? all.get(id) : undefined
        if (merchant !== undefined && rest.join("/") === "metrics" && access === "allowed") {
          const own = ledgers.filter(({ labels }) => labels.merchant === id)
          return only(metricsOf(own, { merchant: id }))
        }
        // The admin API of the merchant checks the access of its requests.
        if (merchant !== undefined) {
          return Effect.map(
            merchant.respond({ ...request, path: `/${rest.join("/")}` }),
            (response) => withPrefix(response, `/merchants/${id}`)
          )
        }
        if (access === "unauthorized") return Effect.succeed(Reply.unauthorized)
        if (path === "/" || path === "/merchants") return only(list)
        if (path === "/metrics") return only(metricsOf(ledgers))
        return Effect.succeed(collection === "merchants" ? Reply.notFound : Reply.severalMerchants)
      }
      return { respond }
    })
  )

/** Makes the admin API of a merchant, and the effect `state`, which returns what the list shows of him. */
const one = Effect.fnUntraced(function* (
  id: string,
  accounts: ReadonlyArray<string>,
  services: Context.Context<Services>,
  { secrets, ...options }: Options
) {
  const ledger = Context.get(services, Ledger)
  const built = yield* Layer.build(
    Layer.fresh(
      Admin.layer({
        ...options,
        page: undefined,
        secrets: secrets && Object.hasOwn(secrets, id) ? secrets[id] : undefined
      })
    )
  ).pipe(Effect.provideContext(services))
  const { read } = yield* Condition.make({
    ledger,
    latest: Activity.observe(Context.get(services, Journal)),
    worker: Context.get(services, Worker)
  })
  const state = Effect.gen(function* () {
    const now = LedgerClock.timeOf(ledger, yield* Clock.Clock)
    const backlog = yield* Effect.orElseSucceed(ledger.backlog(now), () => undefined)
    return {
      id,
      accounts,
      condition: yield* read,
      backlog:
        backlog === undefined
          ? null
          : {
              due: backlog.due,
              oldestDueSeconds: Math.max(0, now - (backlog.oldestDueAt ?? now)) / 1000,
              deadLetters: backlog.deadLetters
            }
    }
  })
  return { respond: Context.get(built, Admin.Admin).respond, state }
})

/** Adds the path of a merchant to the address of the next page. */
const withPrefix = (response: Admin.Response, prefix: string): Admin.Response => {
  const { link } = response.headers
  return link === undefined
    ? response
    : Reply.withHeaders(response, { link: link.replace(/^</u, `<${prefix}`) })
}
