/**
 * The report of a running sandbox on stderr. A path may contain a card number or a token, so any
 * part that is not a plain word is `…`.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import type * as Courier from "@pawl/testkit/Courier"
import type { Transaction } from "@pawl/testkit/Gateway"
import type { LoggedRequest } from "../internal/sandbox/RequestLog.ts"
import * as Follower from "../internal/trigger/Follower.ts"
import * as SandboxClient from "../internal/trigger/SandboxClient.ts"

/** Settings of the sandbox. A credential that the merchant gave is undefined. */
export interface Settings {
  readonly baseUrl: string
  readonly token: Option.Option<Redacted.Redacted>
  readonly defaultKey: string | undefined
  readonly defaultSecret: string | undefined
}

/** One change: `text` is for a person, `fields` for a program. */
interface Entry {
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * Returns the effect that prints the addresses and every change since the subscription until the
 * scope closes.
 */
export const start = (
  sandbox: Settings,
  isJson: boolean
): Effect.Effect<Effect.Effect<void, never, Scope.Scope>, never, Scope.Scope> => {
  const print = ({ fields, text }: Entry) => Console.error(isJson ? JSON.stringify(fields) : text)
  const entriesOf = reader()
  const target = { ...sandbox, merchantKey: "", merchantSecret: Redacted.make("") }
  return SandboxClient.changes(target).pipe(
    Effect.map((changes) =>
      Queue.take(changes).pipe(
        Effect.flatMap((change) => Effect.forEach(entriesOf(change), print, { discard: true })),
        Effect.forever,
        Effect.ignore,
        Effect.forkScoped
      )
    ),
    Effect.provide(FetchHttpClient.layer),
    Effect.orElseSucceed(() => Effect.void),
    Effect.map((follow) => Effect.andThen(print(addresses(sandbox)), Effect.asVoid(follow)))
  )
}

const addresses = ({ baseUrl, defaultKey, defaultSecret }: Settings): Entry => {
  const { origin } = new URL(baseUrl)
  const fields = { event: "ready", service: baseUrl, console: `${origin}/`, docs: `${origin}/docs` }
  const own = (name: string, value: string | undefined) =>
    value === undefined ? `# ${name}: the one this sandbox was started with` : `${name}=${value}`
  const text = [
    `service  ${fields.service}`,
    `console  ${fields.console}`,
    `docs     ${fields.docs}`,
    "",
    "For .env of your application:",
    `PAWL_BASE_URL=${baseUrl}`,
    own("PAWL_MERCHANT_KEY", defaultKey),
    own("PAWL_MERCHANT_SECRET", defaultSecret),
    ""
  ]
  return { fields, text: text.join("\n") }
}

const reader = () => {
  const seen = new Map<string, { readonly shown: number; readonly path: string }>()

  const request = ({ at, fault, method, path, status, transactionId }: LoggedRequest): Entry => {
    const result = status === 0 ? "was reset" : `answered ${status}`
    const id = seen.has(transactionId ?? "") ? transactionId : undefined
    const fields = {
      event: "request",
      at,
      method,
      path: shownPath(path),
      status,
      transactionId: id
    }
    const ends = [id, fault === undefined ? undefined : `(fault ${fault})`].filter(Boolean)
    return {
      fields: { ...fields, fault },
      text: line(at, `${method} ${fields.path} ${result}`, ...ends)
    }
  }

  const statuses = ({ callbackUrl, history, kind, transactionId }: Transaction) => {
    const { shown = 0 } = seen.get(transactionId) ?? {}
    const path = shownPath(URL.parse(callbackUrl ?? "")?.pathname ?? "")
    seen.set(transactionId, { shown: history.length, path })
    return history.slice(shown).map(({ at, status }) => ({
      fields: { event: "status", at, transactionId, kind, status },
      text: line(at, transactionId, kind, status)
    }))
  }

  const callback = (delivery: Courier.Delivery): Entry => {
    const { answer, at, attempt, forged, status, transactionId } = delivery
    const path = seen.get(transactionId)?.path ?? "callback"
    const result = Follower.resultOf(delivery)
    const post = `${forged ? "forged " : ""}POST ${path}${typeof answer === "number" ? "" : ":"}`
    return {
      fields: {
        event: "callback",
        at,
        transactionId,
        status,
        forged,
        path,
        attempt,
        answer,
        result
      },
      text: line(at, transactionId, status, `${post} ${result}`)
    }
  }

  return ({ item, name }: SandboxClient.Change): ReadonlyArray<Entry> => {
    switch (name) {
      case "request":
        return [request(item as LoggedRequest)]
      case "transaction":
        return statuses(item as Transaction)
      case "delivery":
        return [callback(item as Courier.Delivery)]
      case "reset":
        seen.clear()
        return [{ fields: { event: "reset" }, text: "The sandbox was reset" }]
      default:
        return []
    }
  }
}

const line = (at: string, ...parts: ReadonlyArray<string | undefined>): string =>
  [at.slice(11, 19), ...parts].join("  ")

const shownPath = (path: string): string =>
  path
    .split("/")
    .map((part) => (/^(?:v\d|[a-z][a-z_-]{0,30})?$/iu.test(part) ? part : "…"))
    .join("/")
