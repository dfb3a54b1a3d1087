import { kindsOf } from "@pawl/core/Kind"
import { serve } from "@pawl/test-support/Listener"
import { run as runProgram } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { assert, describe, it } from "vitest"
import { Gateway } from "@pawl/testkit/Gateway"
import { create } from "../../src/internal/trigger/Creates.ts"
import { changes, login } from "../../src/internal/trigger/SandboxClient.ts"
import * as Sandbox from "../../src/Sandbox.ts"
import { address, list, runWith } from "../support/sandbox.ts"
import { receiver } from "../support/wire.ts"

const bin = new URL("../../src/bin/pawl-sandbox.ts", import.meta.url).pathname

const command = (args: string) =>
  runProgram(process.execPath, [bin, "trigger", ...args.split(" ")], {
    PAWL_MERCHANT_SECRET: undefined
  })

const trigger = (args: string) =>
  Effect.flatMap(Sandbox.Sandbox, ({ baseUrl }) => command(`${args} --base-url ${baseUrl}`))

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/ +[0-9]+\.[0-9] s {2}/u, " ").replaceAll(/ {2,}/gu, " "))

describe("pawl-sandbox trigger", () => {
  it("makes a payment, and prints each status and each callback with its answer", () =>
    runWith({}, function* () {
      const { received, url } = yield* receiver((_, { transactionStatus }) => [
        transactionStatus === "PENDING" ? 401 : 200
      ])
      const { code, stderr, stdout } = yield* trigger(
        `succeed --kind apm-payment --amount 7.25 --callback-url ${url}/callback`
      )
      const { origin } = yield* address
      const lines = linesOf(stdout)
      assert.strictEqual(stderr, "")
      assert.strictEqual(
        lines[0],
        `100001 apm-payment of 7.25 EUR, succeed: ${origin}/#/transactions/100001`
      )
      for (const line of [
        "100001 status NEW",
        "100001 callback NEW answered 200",
        "100001 status PENDING",
        "100001 callback PENDING answered 401 (is the merchant secret of your receiver the sandbox's?); next try in 2 min",
        "100001 status PROCESSING",
        "100001 status SUCCEED",
        "100001 callback SUCCEED answered 200",
        "100001 ended SUCCEED: 3 of 4 callbacks delivered"
      ]) {
        assert.include(lines, line)
      }
      assert.include(lines.at(-1), `curl -s ${origin}/sandbox/clock`)
      assert.strictEqual(code, 1)
      assert.lengthOf(received, 4)
    }))

  it("follows several refunds, each of a payment of its own, with the sandbox's own credentials", () =>
    runWith({ merchantKey: "k", merchantSecret: Redacted.make("s3cr3t-c4n4ry") }, function* () {
      const { received, url } = yield* receiver(() => [200])
      const { code, stdout } = yield* trigger(
        `succeed+duplicate+lost --kind refund --times 2 --callback-url ${url} --merchant-key k --merchant-secret s3cr3t-c4n4ry`
      )
      assert.match(stdout, /^\d+ {2}ended SUCCEED: 6 of 6 callbacks delivered$/mu)
      assert.lengthOf(stdout.match(/ended SUCCEED/gu) ?? [], 2)
      assert.strictEqual(code, 0)
      assert.lengthOf(received, 12)
      assert.notInclude(stdout, "c4n4ry")
    }))

  it("names the token in the command that a sandbox with a token obeys", () =>
    runWith({ token: Redacted.make("c4n4ry-token") }, function* () {
      const { url } = yield* receiver(() => [503])
      const { stdout } = yield* trigger(`stuck --callback-url ${url} --token c4n4ry-token`)
      assert.match(
        stdout,
        /curl -s -H @- \S+\/clock -d \S+ minutes"\}' <<<"authorization: Bearer \$PAWL_SANDBOX_TOKEN"/u
      )
      assert.notInclude(stdout, "c4n4ry")
    }))

  it("makes every kind of transaction", () =>
    runWith(
      { pace: "1 hour" },
      Effect.gen(function* () {
        const { baseUrl } = yield* Sandbox.Sandbox
        const target = {
          baseUrl,
          merchantKey: "sandbox-key",
          merchantSecret: Redacted.make("sandbox-secret"),
          token: Option.none()
        }
        const order = {
          scenario: "decline:51",
          amount: "1.00",
          currency: "EUR",
          account: "1001"
        }
        const accessToken = yield* login(target)
        const kinds = Object.values(kindsOf).flat()
        for (const kind of kinds) {
          yield* create(target, accessToken, { ...order, kind, callbackUrl: undefined }, 1)
        }
        const made = yield* (yield* Gateway).transactions
        assert.deepStrictEqual(
          made.filter(({ metadata }) => metadata !== undefined).map(({ kind }) => kind),
          kinds
        )
        assert.include(JSON.stringify(made), '"1001"')
      }).pipe(Effect.provide(FetchHttpClient.layer))
    ))

  it("follows no redirect, which would take the secret and the token to another host", () =>
    runWith(
      {},
      Effect.gen(function* () {
        const paths: Array<string | undefined> = []
        const elsewhere = yield* serve((request, response) => {
          paths.push(request.url)
          response.end("{}")
        })
        const location = `http://127.0.0.1:${elsewhere}/`
        const port = yield* serve((_, response) => response.writeHead(307, { location }).end())
        const target = {
          baseUrl: `http://127.0.0.1:${port}/api`,
          merchantKey: "sandbox-key",
          merchantSecret: Redacted.make("sandbox-secret"),
          token: Option.some(Redacted.make("token"))
        }
        assert.include((yield* Effect.flip(login(target))).message, "answers 307 to POST /v1/auth")
        assert.include((yield* Effect.flip(changes(target))).message, "is not a sandbox")
        assert.deepStrictEqual(paths, [])
      }).pipe(Effect.provide(FetchHttpClient.layer))
    ))

  it("prints no character of another host's text that a terminal obeys", () =>
    runWith({}, function* () {
      const [id, status] = ["1\u001b[2J", "SUCCEED\u202e"]
      const createdTime = "2026-11-25T00:00:00.000Z"
      const transaction = { transactionId: id, status, createdTime, isOver: true }
      const history = [{ at: createdTime, status }]
      const events = JSON.stringify({ ...transaction, history })
      let send = () => {}
      const port = yield* serve(({ url }, response) => {
        if (url === "/sandbox/events") {
          response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
          send = () => void response.write(`event: transaction\ndata: ${events}\n\n`)
        } else if (url === "/api/v1/auth") response.end('{"accessToken":"token"}')
        else if (url?.endsWith("payouts/card") === true) {
          response.writeHead(400).end(JSON.stringify({ message: `no${id}` }))
        } else {
          response.end(JSON.stringify({ transactionId: id }))
          send()
        }
      })
      const words = `succeed --base-url http://127.0.0.1:${port}/api`
      const { code, stdout } = yield* command(words)
      assert.strictEqual(code, 0)
      assert.match(stdout, /^1 \[2J {2}ended SUCCEED :/mu)
      assert.notMatch(stdout, /[^\P{Cc}\n]|\p{Bidi_Control}/u)
      const { stderr } = yield* command(`${words} --kind card-payout`)
      assert.match(stderr, /; no1 \[2J\n$/u)
    }))

  it("fails with one sentence that names the remedy, and makes nothing", () =>
    runWith({}, function* () {
      const port = yield* serve((_, response) => response.end("a shop"))
      const elsewhere = yield* trigger("decline:5 --callback-url http://203.0.113.1/cb")
      assert.match(elsewhere.stdout, /--allow-callback HOST\n.*0 of 2 callbacks delivered\n$/u)
      assert.strictEqual(elsewhere.code, 1)
      const cases = [
        [trigger("sucseed"), "succeed, challenge, cancel"],
        [trigger("succeed --amount ten"), "amount: Expected a decimal amount"],
        [trigger("succeed --merchant-key other"), "PAWL_MERCHANT_SECRET"],
        [command("succeed --base-url http://127.0.0.1:9/api"), "npx pawl-sandbox"],
        [command("succeed --base-url http://127.0.0.1:9"), "which ends in /api"],
        [command("succeed --base-url http://127.0.0.1:9/api/v1"), "which ends in /api"],
        [command(`succeed --base-url http://127.0.0.1:${port}/api`), "is not a sandbox"]
      ] as const
      yield* Effect.forEach(
        cases,
        Effect.fnUntraced(function* ([ended, words]) {
          const { code, stderr, stdout } = yield* ended
          assert.strictEqual(stdout, "")
          assert.match(stderr, /^[^\n]+\n$/u)
          assert.include(stderr, words)
          assert.strictEqual(code, 1)
        }),
        { concurrency: 2 }
      )
      assert.lengthOf(yield* list("/transactions"), 1)
    }))
})
