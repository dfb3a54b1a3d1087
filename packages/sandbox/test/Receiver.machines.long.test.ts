/** Receiver processes on one PostgreSQL are killed while callbacks arrive. */
import * as NodeHmac from "@pawl/core/NodeHmac"
import { type Status, rank } from "@pawl/core/Status"
import { ApmPayments } from "@pawl/http/ApmPayments"
import * as Pawl from "@pawl/http/Pawl"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Leases from "@pawl/test-support/Leases"
import * as Postgres from "@pawl/test-support/Postgres"
import * as NodePostgres from "@pawl/webhook/NodePostgres"
import { type Program, start as startProgram } from "@pawl/test-support/Program"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Base64 from "effect/encoding/Base64"
import { setTimeout as sleep } from "node:timers/promises"
import * as Sandbox from "../src/Sandbox.ts"

const bin = new URL("../../receiver/src/bin/pawl-receiver.ts", import.meta.url).pathname
const merchantSecret = Redacted.make("sandbox-secret")

const hasPostgres = await Postgres.isAvailable()
if (!hasPostgres)
  console.warn("PostgreSQL does not respond: the test of several receivers is skipped")

interface ToldTransition {
  readonly id: string
  readonly transactionId: string
  readonly from: Status | null
  readonly to: Status
  readonly confirmed: boolean
  readonly attempt: number
}

const application = Effect.gen(function* () {
  const key = NodeHmac.keyed(merchantSecret)("pawl forwarded transitions")
  const sign = NodeHmac.keyed(Redacted.make(key))
  const told = new Map<string, Array<ToldTransition>>()
  const violations: Array<string> = []
  const inProgress = new Set<string>()
  const port = yield* serve((request, response) => {
    void (async () => {
      const body = await readText(request)
      const transition = JSON.parse(body) as ToldTransition
      const { id, to, transactionId } = transition
      const stamp = `${id}.${String(request.headers["webhook-timestamp"])}`
      const signature = `v1,${Base64.encode(sign(`${stamp}.${body}`))}`
      if (request.headers["webhook-signature"] !== signature) violations.push(`${id} is not signed`)
      if (inProgress.has(transactionId)) violations.push(`${id} came while another was in progress`)
      inProgress.add(transactionId)
      const before = told.get(transactionId) ?? []
      const last = before.at(-1)
      if (last !== undefined && rank(to) < rank(last.to))
        violations.push(`${id} came after ${last.id}`)
      // A transition that a kill interrupted counts as not told.
      const from = last === undefined ? [null] : [last.to, last.from]
      if (last?.id !== id && !from.includes(transition.from)) {
        violations.push(
          `${id} is from ${String(transition.from)}, but ${String(last?.to)} was told`
        )
      }
      if (rank(to) >= 10 && !transition.confirmed) violations.push(`${id} is not confirmed`)
      told.set(transactionId, [...before, transition])
      await sleep(5)
      inProgress.delete(transactionId)
      response.end()
    })()
  })
  return { told, violations, inProgress, url: `http://127.0.0.1:${port}/transitions` }
})

const machines = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const alive = new Map<Program, number>()
  const start = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const program = yield* Scope.provide(
        startProgram(process.execPath, [bin, "--port", "0", "--admin-port", "0", ...args], env),
        scope
      )
      alive.set(program, Number(yield* program.line(/^ready http:\/\/127\.0\.0\.1:(\d+)/mu)))
      return program
    })
  const kill = (program: Program) =>
    Effect.suspend(() => {
      alive.delete(program)
      program.child.kill("SIGKILL")
      return program.exited
    })
  return { alive, start, kill }
})

/** Tries another receiver if one dies. */
const balancer = (alive: ReadonlyMap<Program, number>) => {
  let turn = 0
  return serve((request, response) => {
    void (async () => {
      const body = await readText(request)
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

it.live.runIf(hasPostgres)(
  "several receivers, killed at any moment, tell the application every status in order (R01, R15, R16, S1, S4, S6, S9)",
  () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* Sandbox.Sandbox
      const name = yield* Postgres.database
      const { told, url, violations } = yield* application
      const { alive, kill, start } = yield* machines
      const port = yield* balancer(alive)
      const startReceiver = start(["--store", Postgres.urlOf(name), "--forward", url], {
        PAWL_MERCHANT_KEY: "sandbox-key",
        PAWL_MERCHANT_SECRET: "sandbox-secret",
        PAWL_FORWARD_SECRET: "",
        PAWL_BASE_URL: baseUrl
      })
      const pay = Effect.forEach(
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
      const untilTold = (count: number) =>
        Effect.repeat(
          Effect.delay(
            Effect.sync(() => [...told.values()].flat().length),
            "10 millis"
          ),
          {
            until: (length) => length >= count
          }
        )

      // Three receivers create the tables at once. One is killed and replaced.
      const [first, second, third] = yield* Effect.all(
        [startReceiver, startReceiver, startReceiver],
        {
          concurrency: "unbounded"
        }
      )
      yield* pay
      yield* untilTold(10)
      yield* kill(first)
      const fourth = yield* startReceiver
      yield* pay

      // As in a power failure, the leases expire before other receivers start.
      yield* untilTold(60)
      yield* Effect.all([second, third, fourth].map(kill), { concurrency: "unbounded" })
      const layer = NodePostgres.layerLedger({ ...Postgres.server, database: name })
      yield* Effect.provide(Leases.end, layer)
      yield* Effect.all([startReceiver, startReceiver], { concurrency: "unbounded" })
      yield* pay

      const actual = Effect.promise(
        () =>
          fetch(baseUrl.replace(/\/api$/u, "/sandbox/transactions")).then((response) =>
            response.json()
          ) as Promise<ReadonlyArray<{ readonly transactionId: string; readonly status: Status }>>
      )
      const report = (transactionId: string) =>
        Effect.gen(function* () {
          const [program] = alive.keys()
          if (program === undefined) return {}
          const admin = yield* program.errorLine(/admin API is at (http:[^"]+)/u)
          return yield* Effect.promise(
            () =>
              fetch(`${admin}/transactions/apm/${transactionId}`).then((response) =>
                response.json()
              ) as Promise<{ readonly status?: Status; readonly told?: Status }>
          )
        })
      const outcomes = Effect.gen(function* () {
        const transactions = yield* actual
        return yield* Effect.forEach(transactions, ({ status, transactionId }) =>
          Effect.map(report(transactionId), (reported) => ({
            transactionId,
            status,
            reported: reported.status,
            told: reported.told,
            received: told.get(transactionId)?.at(-1)?.to
          }))
        )
      })
      const isRight = (end: Effect.Success<typeof outcomes>[number]) =>
        rank(end.status) >= 10 &&
        [end.reported, end.told, end.received].every((each) => each === end.status)
      yield* Effect.repeat(Effect.delay(outcomes, "200 millis"), {
        until: (all) => all.length === 3 * 2 * scenarios.length && all.every(isRight)
      }).pipe(Effect.timeoutOption("3 minutes"))
      expect((yield* outcomes).filter((end) => !isRight(end))).toEqual([])
      expect(violations).toEqual([])
      const kinds = new Set((yield* actual).map(({ status }) => status))
      expect([...kinds].toSorted()).toEqual([
        "CANCELLED",
        "CHARGEBACK",
        "FAILED",
        "REFUNDED",
        "SUCCEED"
      ])
    }).pipe(
      // The processes end with the test, also after a failure.
      Effect.timeout("4 minutes"),
      Effect.provide(
        Sandbox.layer({ merchantKey: "sandbox-key", merchantSecret, pace: "100 millis", seed: 7 })
      )
    )
)
