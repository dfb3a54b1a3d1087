import { describe, expect } from "@effect/vitest"
import { serve, untilRefused } from "@pawl/test-support/Listener"
import type { Transition } from "@pawl/core/Handler"
import * as Effect from "effect/Effect"
import { connect, type Socket } from "node:net"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { DatabaseSync } from "node:sqlite"
import { card } from "@pawl/test-support/Service"
import {
  ask,
  bin,
  callback,
  nobody,
  none,
  post,
  receiver,
  refused,
  secrets,
  service
} from "./receiverProcess.ts"
import { start } from "@pawl/test-support/Program"
import { files } from "@pawl/test-support/Stores"
import { live } from "@pawl/test-support/Tests"

const file = files()

describe("a receiver that cannot start", () => {
  live("names every missing variable in a sentence", function* () {
    const output = yield* refused(none)
    expect(output).toEqual([
      expect.stringMatching(/^PAWL_MERCHANT_KEY is not set: .*\.$/u),
      expect.stringMatching(/^PAWL_MERCHANT_SECRET is not set: .*\.$/u),
      expect.stringMatching(/^PAWL_BASE_URL is not set: .*--base-url.*\.$/u)
    ])
  })

  live(
    "names every other fault in a sentence, and shows no value that may be secret",
    function* () {
      const output = yield* refused(
        {
          PAWL_MERCHANT_KEY: " hunter2 ",
          PAWL_MERCHANT_SECRET: "hunter2\n",
          PAWL_MERCHANT_SECRET_PREVIOUS: " hunter2",
          PAWL_FORWARD_SECRET: "hunter2 ",
          PAWL_BASE_URL: "http://hunter2.example/api",
          PAWL_ADMIN_TOKEN: "hunter2 hunter2",
          PAWL_ADMIN_HOSTS: "a.example/hunter2"
        },
        "--store=mysql://u:hunter2@db/x",
        "--forward=http://u:hunter2@app/x",
        "--path=/metrics",
        "--admin-host=0.0.0.0"
      )
      expect(output.join("\n")).not.toContain("hunter2")
      expect(output).toContain(
        "PAWL_MERCHANT_SECRET_PREVIOUS cannot be used: give it without white space around it."
      )
      expect(output.map((line) => line.replace(/ cannot be used: .+\.$/u, ""))).toEqual([
        "PAWL_MERCHANT_KEY",
        "PAWL_MERCHANT_SECRET",
        "PAWL_BASE_URL",
        "PAWL_MERCHANT_SECRET_PREVIOUS",
        "PAWL_FORWARD_SECRET",
        "--forward",
        "--store",
        "--admin-host needs --admin-port: without it there is no admin API.",
        "PAWL_ADMIN_TOKEN",
        "PAWL_ADMIN_HOSTS",
        "--path"
      ])
    }
  )

  const all = { ...none, ...secrets, ...nobody }
  const path =
    "--path cannot be used: give a path such as /callback, as a URL has it, and not /healthz, /readyz, /metrics, /dead-letters or /transactions."
  const address = "Expected an address such as 127.0.0.1"
  const key = "PAWL_FORWARD_SECRET cannot be used: after whsec_ give the key in base64."
  const open = ["--admin-port=0", "--admin-host=0.0.0.0"]

  live.each<[string, Readonly<Record<string, string>>, ReadonlyArray<string>, unknown]>([
    ["a path that a URL spells differently", {}, ["--path=/rück"], path],
    ["a path with two dots", {}, ["--path=/a/../b"], path],
    ["a key that is not base64", { PAWL_FORWARD_SECRET: "whsec_hunter2!" }, [], key],
    ["no key after whsec_", { PAWL_FORWARD_SECRET: "whsec_" }, [], key],
    // A server listens on every address if it has an empty one.
    ["an empty address", {}, ["--host="], `Missing value for flag --host. ${address}`],
    [
      "an empty admin address",
      {},
      ["--admin-host="],
      `Missing value for flag --admin-host. ${address}`
    ],
    [
      "a short token off loopback",
      { PAWL_ADMIN_TOKEN: "fifteen-letters" },
      open,
      "PAWL_ADMIN_TOKEN cannot be used: give at least 16 characters, because other machines reach the admin port."
    ],
    [
      "one port for callbacks and for the admin API",
      {},
      ["--port=4030", "--admin-port=4030"],
      "--admin-port must differ from --port."
    ],
    [
      "a proxy, without its password",
      { HTTPS_PROXY: "http://u:hunter2@bad:port:99" },
      [],
      "HTTPS_PROXY cannot be used: give a URL such as http://proxy.example:3128"
    ],
    [
      "white space at the end of a store, which would be in the name of the file",
      { PAWL_STORE: "sqlite:callbacks.db " },
      [],
      "PAWL_STORE cannot be used: give memory, or one or more of sqlite:FILE and postgres://USER@HOST/DATABASE, each once, without white space at the end, with #, / and ? of a password as %23, %2F and %3F."
    ],
    [
      "a misspelt subcommand",
      {},
      ["migrat"],
      expect.stringContaining("Expected -- before a program")
    ]
  ])("refuses %s", function* (_, env, args, sentence) {
    expect(yield* refused({ ...all, ...env }, ...args)).toEqual([sentence])
  })

  live("names each limit of its client that cannot be used", function* () {
    const output = yield* refused(
      {
        ...all,
        PAWL_ATTEMPT_TIMEOUT: "10",
        PAWL_TOTAL_TIMEOUT: "1 minute",
        PAWL_MAX_ATTEMPTS: "0",
        PAWL_COOLDOWN: "",
        PAWL_CONNECTIONS: "many",
        PAWL_RETRY_RATIO: "-1"
      },
      "--port=0"
    )
    expect(output).toEqual([
      "PAWL_ATTEMPT_TIMEOUT cannot be used: give a number above 0 and its unit, such as 10 seconds.",
      "PAWL_MAX_ATTEMPTS cannot be used: give a whole number, 1 or more.",
      "PAWL_CONNECTIONS cannot be used: give a whole number, 1 or more.",
      "PAWL_RETRY_RATIO cannot be used: give a number that is not negative."
    ])
  })

  live("names an unknown flag, a port in use and a store that is not available", function* () {
    const port = yield* serve(() => {})
    const away = "postgres://postgres:hunter2@127.0.0.1:9/pawl"
    const { filename } = file()
    const database = new DatabaseSync(filename)
    database.exec(
      "CREATE TABLE pawl_migrations (migration_id, name, created_at); INSERT INTO pawl_migrations VALUES (1000, 'later', 0)"
    )
    database.close()
    const [unknown, busy, gone, lost, open, guarded, newer] = yield* Effect.all(
      [
        refused(all, "--prot", "1"),
        refused(all, "--port", String(port)),
        refused(all, "--store", "sqlite:/not/there/a.db"),
        refused({ ...all, PAWL_STORE: away }),
        refused(all, "--store", away),
        refused({ ...all, PAWL_ADMIN_HOSTS: "a.example" }, "--admin-port=0", "--admin-host=::"),
        refused({ ...all, PAWL_STORE: `sqlite:${filename}` })
      ],
      { concurrency: 2 }
    )
    expect(unknown).toEqual([expect.stringMatching(/--prot.*--port/u)])
    expect(busy).toEqual([
      `Cannot listen on port ${port} of 127.0.0.1: another process uses it; stop that process, or choose another port`
    ])
    expect(gone).toEqual([expect.stringMatching(/^The SQLite file \/not\/there\/a\.db cannot/u)])
    expect(lost).toEqual([expect.stringMatching(/^The PostgreSQL database cannot.*ECONNREFUSED/u)])
    expect(open).toEqual([
      expect.stringMatching(/^--store cannot be used with a password.*PAWL_STORE.*\.$/u)
    ])
    expect(guarded).toEqual([
      expect.stringMatching(/^--admin-host needs PAWL_ADMIN_TOKEN: .*\.$/u),
      expect.stringMatching(/^PAWL_ADMIN_HOSTS needs PAWL_ADMIN_TOKEN: .*\.$/u)
    ])
    expect(newer).toEqual([expect.stringMatching(/^The store belongs to a newer version of pawl/u)])
    expect([...lost, ...open].join("")).not.toContain("hunter2")
  })
})

live(
  "the limits of its client are those of the environment, for one merchant and for several",
  function* () {
    const port = yield* serve((request) => void request.resume())
    const env = {
      PAWL_BASE_URL: `http://127.0.0.1:${port}/api`,
      PAWL_ATTEMPT_TIMEOUT: "50 millis",
      PAWL_MAX_ATTEMPTS: "1"
    }
    const merchants = file().filename
    const merchant = {
      id: "a",
      accounts: ["mid-1"],
      merchantKey: "key",
      merchantSecret: "sandbox-secret"
    }
    writeFileSync(merchants, JSON.stringify({ merchants: [{ ...merchant, store: "memory" }] }))
    for (const args of [[], ["--merchants", merchants]]) {
      const started = yield* receiver(env, ...args)
      expect((yield* post(started.url, "100001", "SUCCEED")).status).toBe(200)
      yield* started.errorLine(/(A status could not be read)/u)
      started.child.kill("SIGTERM")
      yield* started.exited
    }
  }
)

live("has the switches of the file that --profile or PAWL_PROFILE names", function* () {
  const path = file().filename
  writeFileSync(path, JSON.stringify({ switches: { callbackContentType: "any" } }))
  const { body, checksum, search } = callback("100001", "PENDING")
  const headers = { "content-type": "text/plain", "x-checksum": checksum }
  const post = ({ url }: { readonly url: string }) =>
    Effect.map(ask(`${url}${search}`, { method: "POST", headers, body }), ({ status }) => status)
  expect(yield* post(yield* receiver(nobody))).toBe(415)
  expect(yield* post(yield* receiver(nobody, "--profile", path))).toBe(200)
  expect(yield* post(yield* receiver({ ...nobody, PAWL_PROFILE: path }))).toBe(200)
  writeFileSync(path, JSON.stringify({ switches: { callbackContentType: "hunter2" } }))
  const [sentence] = yield* refused({ ...secrets, ...nobody }, "--profile", path)
  expect(sentence).toMatch(/--profile cannot be used: .*switches\.callbackContentType/u)
})

live("serves on after the reader of its logs has gone", function* () {
  const { child, url } = yield* receiver(nobody)
  child.stderr.destroy()
  // A callback in quarantine is logged.
  for (const id of ["1", "2", "3"]) {
    expect((yield* post(url, id, "SETTLED")).status).toBe(200)
  }
  expect((yield* post(url, "4", "PENDING")).status).toBe(200)
  expect(child.exitCode).toBe(null)
})

live(
  "accepts callbacks, confirms final statuses, and prints each transition as a line",
  function* () {
    const statuses = new Map([["100001", "SUCCEED"]])
    const env = yield* service(statuses)
    const started = yield* receiver(env, "--admin-port", "0")
    const { line, origin, stderr, stdout, url } = started
    const admin = yield* started.admin
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u)
    expect((yield* post(url, "100001", "PENDING")).status).toBe(200)
    yield* line(/"to":"PENDING"/u)
    for (const status of ["SUCCEED", "SUCCEED"]) {
      expect(yield* post(url, "100001", status)).toEqual({ status: 200, text: "" })
    }
    yield* line(/"to":"SUCCEED"/u)
    const [ready, ...lines] = stdout().trimEnd().split("\n")
    expect(ready).toBe(`ready ${url}`)
    expect(lines.map((each) => JSON.parse(each) as unknown)).toMatchObject([
      { from: null, to: "PENDING", confirmed: false, sequence: 1, attempt: 1 },
      { from: "PENDING", to: "SUCCEED", confirmed: true, kind: "card-payment", sequence: 2 }
    ])

    const shown = yield* ask(`${admin}/transactions/card/100001`)
    expect(JSON.parse(shown.text)).toMatchObject({ status: "SUCCEED", callbacks: 3 })
    expect((yield* ask(`${admin}/metrics`)).text).toMatch(
      /^pawl_webhook_callbacks_accepted_total 3$/mu
    )
    const forwarded = { headers: { "x-forwarded-for": "10.0.0.1" } }
    expect((yield* ask(`${origin}/healthz`, forwarded)).status).toBe(200)

    // Every fault is one line of JSON without a secret.
    yield* post(url, "100002", "SETTLED")
    yield* ask(`${url}?paymentMethod=card`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-checksum": "checksum-that-nobody-prints" },
      body: JSON.stringify(card())
    })
    const logs = stderr().trimEnd().split("\n")
    expect(logs.length).toBeGreaterThan(1)
    for (const log of logs) expect(JSON.parse(log)).toHaveProperty("level")
    expect(`${stdout()}${stderr()}`).not.toMatch(/that-nobody-prints|sandbox-secret/u)
    expect(stdout() + stderr()).not.toContain(callback("100001", "SUCCEED").checksum)
  }
)

describe("R03: SIGTERM", () => {
  /** Sends half of a callback; `finish` sends the rest and returns the response. */
  const half = (port: number, transactionId: string) =>
    Effect.promise(async () => {
      const { body, checksum, search } = callback(transactionId, "PENDING")
      const socket: Socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      const head = `POST /callback${search} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Checksum: ${checksum}\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
      let output = ""
      socket.setEncoding("latin1").on("data", (text: string) => {
        output += text
      })
      const closed = once(socket, "close")
      socket.write(head + body.slice(0, 10))
      // After the response of 100 the request is in flight.
      while (!output.includes("100 Continue")) {
        await once(socket, "data")
      }
      return async () => {
        socket.write(body.slice(10))
        await closed
        return / (\d+) [^\n]*\r\n(?!.* 100 )/u.exec(
          output.replace(/^.*100 Continue\r\n\r\n/u, "")
        )?.[1]
      }
    })

  live(
    "goes on accepting while a running handler ends, is not ready, answers the requests in flight, and ends with 0 (R25)",
    function* () {
      const reached = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const posts: Array<string> = []
      const application = yield* serve((request, response) => {
        void (async () => {
          const { attempt, transactionId } = JSON.parse(await text(request)) as Transition
          posts.push(`${transactionId} ${attempt}`)
          if (transactionId === "at-work") {
            reached.resolve()
            await finish.promise
          }
          response.end()
        })()
      })
      const { filename } = file()
      const env = yield* service(new Map())
      const args = [
        `--store=sqlite:${filename}`,
        `--forward=http://127.0.0.1:${application}/transitions`
      ]
      const first = yield* receiver(env, ...args)
      yield* post(first.url, "at-work", "PENDING")
      yield* Effect.promise(() => reached.promise)
      const finishing = yield* Effect.all(
        Array.from({ length: 100 }, (_, index) => half(first.port, `in-flight-${index}`)),
        { concurrency: 20 }
      )
      expect(yield* ask(`${first.origin}/readyz`)).toMatchObject({ status: 200 })
      first.child.kill("SIGTERM")
      const isReady = Effect.map(ask(`${first.origin}/readyz`), ({ status }) => status)
      yield* Effect.repeat(Effect.delay(isReady, "20 millis"), {
        until: (status) => status === 503
      })
      expect(yield* post(first.url, "meanwhile", "PENDING")).toMatchObject({ status: 200 })
      expect(yield* post(first.url, "at-work", "PROCESSING")).toMatchObject({ status: 200 })

      // The second receiver takes the rows that the first leaves, but not the one whose handler
      // runs.
      const second = yield* receiver(env, ...args, "--admin-port", "0")
      const admin = yield* second.admin
      const all = Effect.map(ask(`${admin}/metrics`), ({ text }) =>
        [...text.matchAll(/told_total\{to="\w+"\} (\d+)/gu)].reduce(
          (sum, [, count]) => sum + Number(count),
          0
        )
      )
      const untilTold = (count: number) =>
        Effect.repeat(Effect.delay(all, "20 millis"), { until: (told) => told === count })
      yield* untilTold(1)
      expect(posts).toEqual(["at-work 1", "meanwhile 1"])
      finish.resolve()
      yield* untilRefused(first.port)
      const answers = yield* Effect.promise(() => Promise.all(finishing.map((each) => each())))
      expect(answers).toEqual(Array.from({ length: 100 }, () => "200"))
      expect(yield* first.exited).toEqual({ code: 0, signal: null })

      yield* untilTold(102)
      expect(posts.filter((each) => each.startsWith("at-work"))).toEqual(["at-work 1", "at-work 1"])
      expect(posts.length).toBe(103)
    }
  )

  live(
    "a program after -- has the forward secret, and runs until the running handlers have ended",
    function* () {
      const reached = Promise.withResolvers<void>()
      const finish = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      const requests: Array<string> = []
      const application = yield* serve((request, response) => {
        const { url = "" } = request
        request.resume()
        void (async () => {
          if (url === "/transitions") {
            reached.resolve()
            await finish.promise
          }
          requests.push(url)
          started.resolve()
          response.end()
        })()
      })
      const origin = `http://127.0.0.1:${application}`
      const code = `
          const say = (path) => fetch("${origin}/" + path)
          process.on("SIGTERM", () => say("ended").then(() => process.exit()))
          setInterval(() => {}, 1000)
          say(process.env.PAWL_FORWARD_SECRET)`
      const {
        child,
        exited,
        origin: ports,
        url
      } = yield* receiver(
        yield* service(new Map()),
        `--forward=${origin}/transitions`,
        "--",
        process.execPath,
        "-e",
        code
      )
      yield* Effect.promise(() => started.promise)
      yield* post(url, "1", "PENDING")
      yield* Effect.promise(() => reached.promise)
      child.kill("SIGTERM")
      const isReady = Effect.map(ask(`${ports}/readyz`), ({ status }) => status)
      yield* Effect.repeat(Effect.delay(isReady, "20 millis"), {
        until: (status) => status === 503
      })
      finish.resolve()
      expect(yield* exited).toEqual({ code: 0, signal: null })
      expect(requests).toEqual([`/${secrets.PAWL_FORWARD_SECRET}`, "/transitions", "/ended"])
    }
  )

  live("a second SIGTERM ends it at once, whatever is in flight", function* () {
    const { child, exited, port } = yield* receiver(yield* service(new Map()))
    yield* half(port, "1")
    child.kill("SIGTERM")
    yield* untilRefused(port)
    expect(child.exitCode).toBeNull()
    child.kill("SIGTERM")
    expect(yield* exited).toEqual({ code: 143, signal: null })
  })

  live.each(["SIGHUP", "SIGTERM", "SIGINT"] as const)(
    "a closed terminal, which sends SIGHUP after %s, ends it as one SIGTERM does",
    function* (first) {
      const { child, exited, port } = yield* receiver(yield* service(new Map()))
      const finish = yield* half(port, "1")
      child.kill(first)
      child.kill("SIGHUP")
      yield* untilRefused(port)
      child.kill("SIGHUP")
      expect(yield* Effect.promise(finish)).toBe("200")
      expect(yield* exited).toEqual({ code: 0, signal: null })
    }
  )
})

// Linux alone has `script` of util-linux.
describe.skipIf(process.platform !== "linux")("on a terminal", () => {
  live.each([
    ["1", false],
    ["", true]
  ])("NO_COLOR=%s decides whether a warning has a colour", function* (noColor, isColoured) {
    const command = [process.execPath, bin, "--port", "0", "--store", "memory"]
    const { line, stdout } = yield* start("script", ["-qefc", command.join(" "), "/dev/null"], {
      ...secrets,
      ...nobody,
      NO_COLOR: noColor,
      FORCE_COLOR: undefined,
      CI: undefined,
      TERM: "xterm"
    })
    yield* line(/^ready /mu)
    expect(stdout()).toContain("WARN  Callbacks are kept in memory")
    expect(stdout().includes("\u001B[33m")).toBe(isColoured)
  })
})
