/**
 * Several receivers on one PostgreSQL, as processes, killed while callbacks pour in. What one application
 * behind all of them was told is held against the service's own truth.
 */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { type Status, rank } from "@pawl/core/Status"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { SqlClient } from "effect/sql/SqlClient"
import * as Hex from "effect/encoding/Hex"
import { type ChildProcess, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import * as Sandbox from "../src/Sandbox.ts"

const bin = new URL("../../webhook/src/bin/pawl-receiver.ts", import.meta.url).pathname
const merchantSecret = Redacted.make("sandbox-secret")
const postgres = { host: "127.0.0.1", port: 5432, username: "postgres" }

const isThere = await new Promise<boolean>((resolve) => {
  const socket = connect(postgres.port, postgres.host)
  socket.on("error", () => resolve(false)).on("connect", () => resolve(true))
  socket.on("connect", () => socket.destroy())
})
if (!isThere)
  console.warn("PostgreSQL does not answer: receivers on several machines are not tested")

const inDatabase = <A, E>(database: string, effect: Effect.Effect<A, E, SqlClient>) =>
  Effect.provide(effect, NodePostgres.layer({ ...postgres, database, maxConnections: 1 }))

const statement = (text: string) => Effect.flatMap(SqlClient, (sql) => sql.unsafe(text).unprepared)

/** A database of its own, gone afterwards. */
const database = Effect.acquireRelease(
  Effect.suspend(() => {
    const name = `pawl_machines_${process.pid}_${randomBytes(4).toString("hex")}`
    return Effect.as(inDatabase("postgres", statement(`CREATE DATABASE ${name}`)), name)
  }),
  (name) => Effect.orDie(inDatabase("postgres", statement(`DROP DATABASE ${name} WITH (FORCE)`)))
)

const serve = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(listener).listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

interface Told {
  readonly id: string
  readonly transactionId: string
  readonly from: Status | null
  readonly to: Status
  readonly confirmed: boolean
  readonly attempt: number
}

/** The one application: what it was told, and what it may never see. */
const application = Effect.gen(function* () {
  const sign = NodeHmac.keyed(merchantSecret)
  const told = new Map<string, Array<Told>>()
  const faults: Array<string> = []
  const atWork = new Set<string>()
  const port = yield* serve((request, response) => {
    void (async () => {
      const body = await read(request)
      const transition = JSON.parse(body) as Told
      const { id, to, transactionId } = transition
      const stamp = `${id}.${String(request.headers["x-pawl-timestamp"])}`
      const signature = `v1=${Hex.encode(sign(`${stamp}.${body}`))}`
      if (request.headers["x-pawl-signature"] !== signature) faults.push(`${id} is not signed`)
      if (atWork.has(transactionId)) faults.push(`${id} came while another was at work`)
      atWork.add(transactionId)
      const before = told.get(transactionId) ?? []
      const last = before.at(-1)
      if (last !== undefined && rank(to) < rank(last.to)) faults.push(`${id} came after ${last.id}`)
      // What a kill cut short was not told: what stands by then is told from where the last one was.
      const from = last === undefined ? [null] : [last.to, last.from]
      if (last?.id !== id && !from.includes(transition.from)) {
        faults.push(`${id} is from ${String(transition.from)}, but ${String(last?.to)} was told`)
      }
      if (rank(to) >= 10 && !transition.confirmed) faults.push(`${id} is not confirmed`)
      told.set(transactionId, [...before, transition])
      await sleep(5)
      atWork.delete(transactionId)
      response.end()
    })()
  })
  return { told, faults, atWork, url: `http://127.0.0.1:${port}/transitions` }
})

/** Starts receivers, and ends those that are left with the scope. */
const machines = Effect.gen(function* () {
  const alive = new Map<ChildProcess, number>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const child of alive.keys()) child.kill("SIGKILL")
    })
  )
  const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    Effect.promise(async () => {
      const child = spawn(process.execPath, [bin, "--port", "0", ...args], {
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "ignore"]
      })
      const lines: AsyncIterator<unknown> = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]()
      const { value } = await lines.next()
      const [, port] = /^ready http:\/\/127\.0\.0\.1:(\d+)/u.exec(String(value)) ?? []
      alive.set(child, Number(port))
      return child
    })
  const kill = (child: ChildProcess) =>
    Effect.promise(async () => {
      alive.delete(child)
      const exited = once(child, "exit")
      child.kill("SIGKILL")
      await exited
    })
  return { alive, start, kill }
})

/** Hands a callback to the next receiver that is alive, and to another when that one dies over it. */
const balancer = (alive: ReadonlyMap<ChildProcess, number>) => {
  let turn = 0
  return serve((request, response) => {
    void (async () => {
      const body = await read(request)
      const { "content-type": type = "", "x-checksum": checksum = "" } = request.headers
      const headers = { "content-type": type, "x-checksum": String(checksum) }
      while (!response.destroyed) {
        const port = [...alive.values()][turn++ % Math.max(alive.size, 1)]
        const answer =
          port === undefined
            ? undefined
            : await fetch(`http://127.0.0.1:${port}${request.url}`, {
                method: "POST",
                headers,
                body
              }).catch(() => undefined)
        if (answer !== undefined) {
          response.writeHead(answer.status).end()
          return
        }
        await sleep(20)
      }
    })()
  })
}

const scenarios = [
  "succeed+shuffle+duplicate",
  "succeed+forged+duplicate",
  "decline:51+shuffle+forged",
  "refund+duplicate",
  "chargeback+shuffle+duplicate",
  "cancel+forged",
  "conflict+duplicate",
  "challenge+shuffle"
]

it.live.runIf(isThere)(
  "receivers on several machines, killed at any moment, tell the truth in order (R01, R15, R16, S1, S4, S6, S9)",
  () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const name = yield* database
      const { faults, told, url } = yield* application
      const { alive, kill, start } = yield* machines
      const port = yield* balancer(alive)
      const store = `postgres://${postgres.username}@${postgres.host}:${postgres.port}/${name}`
      const another = start(["--store", store, "--forward", url], {
        PAWL_MERCHANT_KEY: "sandbox-key",
        PAWL_MERCHANT_SECRET: "sandbox-secret",
        PAWL_FORWARD_SECRET: "",
        PAWL_BASE_URL: baseUrl
      })
      const pour = Effect.forEach(
        scenarios.flatMap((scenario) => [scenario, scenario]),
        (scenario) =>
          ApmPayments.use(({ create }) =>
            create({
              accountId: "4711",
              amount: "10.00",
              currency: "EUR",
              apmPayload: { paymentMethod: "WALLET" },
              callbackUrl: `http://127.0.0.1:${port}/callback`,
              metadata: { "sandbox.scenario": scenario }
            })
          ).pipe(Effect.catchTag("Declined", () => Effect.void)),
        { concurrency: 4, discard: true }
      ).pipe(Effect.provide(Pawl.layer({ baseUrl, merchantKey: "sandbox-key", merchantSecret })))
      const toldBy = (count: number) =>
        Effect.repeat(
          Effect.delay(
            Effect.sync(() => [...told.values()].flat().length),
            "10 millis"
          ),
          {
            until: (length) => length >= count
          }
        )

      // Three at once make the tables; one dies in the middle of it, and another takes its place.
      const [first, second, third] = yield* Effect.all([another, another, another], {
        concurrency: "unbounded"
      })
      yield* pour
      yield* toldBy(10)
      yield* kill(first)
      const fourth = yield* another
      yield* pour

      // Then all the power goes. Their leases run out before anybody comes back.
      yield* toldBy(60)
      yield* Effect.all([second, third, fourth].map(kill), { concurrency: "unbounded" })
      yield* inDatabase(
        name,
        statement("UPDATE pawl_transactions SET lease_until = 0 WHERE lease_until IS NOT NULL")
      )
      yield* Effect.all([another, another], { concurrency: "unbounded" })
      yield* pour

      const truth = Effect.promise(
        () =>
          fetch(baseUrl.replace(/\/api$/u, "/sandbox/transactions")).then((response) =>
            response.json()
          ) as Promise<ReadonlyArray<{ readonly transactionId: string; readonly status: Status }>>
      )
      const believed = (transactionId: string) =>
        Effect.promise(async () => {
          const [port] = alive.values()
          const response = await fetch(`http://127.0.0.1:${port}/transactions/apm/${transactionId}`)
          return (await response.json()) as { readonly status?: Status; readonly told?: Status }
        })
      const ends = Effect.gen(function* () {
        const transactions = yield* truth
        return yield* Effect.forEach(transactions, ({ status, transactionId }) =>
          Effect.map(believed(transactionId), (belief) => ({
            transactionId,
            status,
            believed: belief.status,
            told: belief.told,
            heard: told.get(transactionId)?.at(-1)?.to
          }))
        )
      })
      const isRight = (end: Effect.Success<typeof ends>[number]) =>
        rank(end.status) >= 10 &&
        [end.believed, end.told, end.heard].every((each) => each === end.status)
      yield* Effect.repeat(Effect.delay(ends, "200 millis"), {
        until: (all) => all.length === 3 * 2 * scenarios.length && all.every(isRight)
      }).pipe(Effect.timeoutOption("30 seconds"))
      expect((yield* ends).filter((end) => !isRight(end))).toEqual([])
      expect(faults).toEqual([])
      const kinds = new Set((yield* truth).map(({ status }) => status))
      expect([...kinds].toSorted()).toEqual([
        "CANCELLED",
        "CHARGEBACK",
        "FAILED",
        "REFUNDED",
        "SUCCEED"
      ])
    }).pipe(
      // Whatever goes wrong, the processes end with the test.
      Effect.timeout("50 seconds"),
      Effect.provide(
        Sandbox.layer({ merchantKey: "sandbox-key", merchantSecret, pace: "100 millis", seed: 7 })
      )
    ),
  60_000
)
