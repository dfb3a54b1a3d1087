/** The owner of a port that is in use, as the port or Linux names it. */
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"

/** Names the owner, such as `a pawl sandbox (process 4711, node)`, and what to do. */
export const describe = Effect.fnUntraced(function* (host: string, port: number) {
  const [isOurs, owner] = yield* Effect.all([isSandbox(host, port), processOf(port)], {
    concurrency: 2
  })
  const known = owner === undefined ? undefined : `process ${owner.pid}, ${owner.name}`
  if (isOurs) {
    return ` by a pawl sandbox${known === undefined ? "" : ` (${known})`}; use that one or stop it`
  }
  return `${known === undefined ? "" : ` by ${known}`}; stop the other process`
})

/** Asks the port for the console of a sandbox, which needs no token. */
const isSandbox = (host: string, port: number): Effect.Effect<boolean> =>
  HttpClient.get(
    `http://${host.includes(":") ? `[${host}]` : host}:${port}/console/facts.json`
  ).pipe(
    Effect.flatMap(({ json }) => json),
    Effect.map((facts) => Predicate.hasProperty(facts, "stories")),
    Effect.timeout("5 seconds"),
    Effect.orElseSucceed(() => false),
    Effect.provide(FetchHttpClient.layer)
  )

/** Finds the process that listens on a port, by its socket in /proc; it may be another user's. */
const processOf = Effect.fnUntraced(function* (port: number) {
  const files = yield* FileSystem.FileSystem
  const read = (path: string) => Effect.orElseSucceed(files.readFileString(path), () => "")
  const list = (path: string) =>
    Effect.orElseSucceed(files.readDirectory(path), (): Array<string> => [])
  const sockets = `${yield* read("/proc/net/tcp")}${yield* read("/proc/net/tcp6")}`
  const hex = port.toString(16).toUpperCase().padStart(4, "0")
  const listening = new RegExp(`:${hex} \\S+:0000 0A (?:\\S+ +){5}(\\d+) `, "u").exec(sockets)
  if (listening === null) return undefined
  for (const pid of yield* list("/proc")) {
    if (!/^\d+$/u.test(pid)) continue
    for (const descriptor of yield* list(`/proc/${pid}/fd`)) {
      const link = files.readLink(`/proc/${pid}/fd/${descriptor}`)
      if ((yield* Effect.orElseSucceed(link, () => "")) !== `socket:[${listening[1]}]`) continue
      // The name only: arguments may contain secrets.
      const program = yield* Effect.orElseSucceed(files.readLink(`/proc/${pid}/exe`), () => "")
      const name = program.replaceAll(/^.*\/|[^\x20-\x7e]/gu, "")
      return { pid, name }
    }
  }
  return undefined
})
