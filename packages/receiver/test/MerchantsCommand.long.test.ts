import { makeFolder } from "@pawl/test-support/Folder"
import { describe, expect } from "@effect/vitest"
import { readText, serve } from "@pawl/test-support/Listener"
import * as Effect from "effect/Effect"
import { createHmac } from "node:crypto"
import { symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { ask, command, nobody, receiver, refused, service } from "./receiverProcess.ts"
import { card, checksum } from "@pawl/test-support/Service"
import { live } from "@pawl/test-support/Tests"

const directory = makeFolder()

writeFileSync(join(directory, "linked.db"), "")
symlinkSync("linked.db", join(directory, "link.db"))
symlinkSync(".", join(directory, "link"))

let files = 0
const fileOf = (content: unknown): string => {
  const path = join(directory, `merchants-${files++}.json`)
  const isText = typeof content === "string" || Buffer.isBuffer(content)
  writeFileSync(path, isText ? content : JSON.stringify(content))
  return path
}

/** That of `b` is text, though a forward secret that begins like it would be base64. */
const secretOf = (id: string) => `${id === "b" ? "whsec_" : ""}secret-of-${id}`

const shop = (id: string, changes?: Readonly<Record<string, unknown>>) => ({
  id,
  accounts: [`mid-${id}`],
  merchantKey: `key-of-${id}`,
  merchantSecret: secretOf(id),
  store: `sqlite:${join(directory, `${id}.db`)}`,
  ...changes
})

const post = (url: string, signer: string, account: string, transactionId: string) =>
  Effect.suspend(() => {
    const fields = card({ mid: `mid-${account}`, transactionId, transactionStatus: "SUCCEED" })
    const signature = checksum("card", fields, secretOf(signer))
    const headers = { "content-type": "application/json", "x-checksum": signature }
    const init = { method: "POST", headers, body: JSON.stringify(fields) }
    return Effect.map(ask(`${url}?paymentMethod=card`, init), ({ status }) => status)
  })

describe("--merchants", () => {
  live("serves each merchant with his secret, his store and his application", function* () {
    const told: Array<string> = []
    const application = yield* serve((request, response) => {
      void readText(request).then((body) => {
        const [id = "", timestamp = ""] = ["webhook-id", "webhook-timestamp"].map((name) =>
          String(request.headers[name])
        )
        const signature = createHmac("sha256", secretOf("b"))
          .update(`${id}.${timestamp}.${body}`)
          .digest("base64")
        const isSigned = request.headers["webhook-signature"] === `v1,${signature}`
        told.push(`${isSigned} ${/"transactionId":"(\d+)"/u.exec(body)?.[1] ?? ""}`)
        return response.end()
      })
    })
    const env = yield* service(new Map(["100001", "100002"].map((id) => [id, "SUCCEED"])))
    const file = fileOf({
      merchants: [
        shop("a", { merchantSecret: { env: "SHOP_A" } }),
        shop("b", { forward: `http://127.0.0.1:${application}/` })
      ]
    })
    const own = { PAWL_MERCHANT_KEY: "", PAWL_MERCHANT_SECRET: "", SHOP_A: "secret-of-a" }
    const flags = ["--merchants", file, "--admin-port", "0"]
    const started = yield* receiver({ ...env, ...own }, ...flags)
    expect(yield* post(started.url, "a", "a", "100001")).toBe(200)
    expect(yield* post(started.url, "b", "b", "100002")).toBe(200)
    expect(yield* post(started.url, "b", "a", "100003")).toBe(401)
    expect(yield* post(started.url, "b", "nobody", "100003")).toBe(401)
    const line = yield* started.line(/^(\{"merchant":.*\})$/mu)
    expect(JSON.parse(line)).toMatchObject({ merchant: "a" })
    const admin = yield* started.admin
    yield* Effect.suspend(() => Effect.succeed(told.length > 0)).pipe(
      Effect.delay("20 millis"),
      Effect.repeat({ until: (isTold) => isTold })
    )
    expect(told).toEqual(["true 100002"])
    const merchants = yield* ask(`${admin}/merchants`)
    expect(JSON.parse(merchants.text)).toMatchObject([{ id: "a" }, { id: "b" }])
    expect((yield* ask(`${admin}/merchants/b/transactions/card/100002`)).status).toBe(200)
    expect((yield* ask(`${admin}/merchants/a/transactions/card/100002`)).status).toBe(404)
    expect((yield* ask(`${admin}/merchants/a/`)).text).toContain("<!doctype html>")
    const overview = (yield* ask(`${admin}/merchants/a/overview`)).text
    expect(overview).toContain('"name":"merchantSecret"')
    const ready = yield* ask(`${started.origin}/readyz`)
    expect(ready.status).toBe(200)
    expect(JSON.parse(ready.text)).toEqual({ ready: true, store: "writable", worker: "running" })
    started.child.kill("SIGTERM")
    expect((yield* started.exited).code).toBe(0)
    expect(`${started.stderr()}${started.stdout()}${overview}`).not.toMatch(/secret-of/u)
  })

  const refusal = (file: string, env: Readonly<Record<string, string>> = nobody) =>
    Effect.map(command(env, "--port", "0", "--merchants", file), ({ code, stderr, stdout }) => {
      expect([code, stdout]).toEqual([1, ""])
      return stderr.trimEnd().split("\n")
    })

  live.each<[string, unknown, ReadonlyArray<string>]>([
    [
      "a file that is not there",
      undefined,
      [
        `The merchants file ${join(directory, "missing.json")} cannot be used: the file does not exist.`
      ]
    ],
    ["another text", "not JSON s3cret", ["it is not valid JSON (syntax at line 1, column 1)"]],
    [
      "a field that is there twice",
      '{"merchants": [], "merchants": ["s3cret"]}',
      ["it is not valid JSON (duplicate key at line 1, column 19)"]
    ],
    ["no merchant", { merchants: [] }, ["it must have the form"]],
    [
      "wrong fields",
      {
        merchants: [
          {
            id: "a",
            merchantKey: "",
            merchantSecret: { env: "NOT_SET" },
            baseUrl: "http://s3cret.example",
            store: "s3cret",
            forward: "ftp://s3cret",
            forwardSecret: "whsec_s3cret!",
            accounts: [1],
            keepMonths: 6,
            storeMegabytes: 0,
            merchantSecretPrev: "s3cret",
            "s3cret-1": ""
          },
          shop("B", { accounts: [], merchantSecret: { env: "PAWL_MERCHANT_KEY" } }),
          "s3cret"
        ]
      },
      [
        "merchants[0] has an unknown field merchantSecretPrev: give id,",
        "merchants[0] has an unknown field: give id,",
        "merchants[0].merchantKey cannot be used",
        "merchants[0].merchantSecret cannot be used",
        "merchants[0].baseUrl cannot be used",
        "merchants[0].store cannot be used",
        "merchants[0].forward cannot be used",
        "merchants[0].forwardSecret cannot be used",
        "merchants[0].accounts cannot be used",
        "merchants[0].keepMonths cannot be used: give a whole number from 7 to 99999, or never.",
        "merchants[0].storeMegabytes cannot be used: give megabytes, or never.",
        "merchants[1].id cannot be used. The id of a merchant must be",
        "merchants[1].accounts cannot be used: name at least one",
        "merchants[1].merchantSecret cannot be used: the variable PAWL_MERCHANT_KEY is not set.",
        "merchants[2] cannot be used: give an object with the fields of a merchant."
      ]
    ],
    [
      "merchants with the secrets and stores of others",
      {
        merchants: [
          shop("a", { merchantSecretPrevious: "secret-of-old-times" }),
          shop("b", {
            merchantSecret: "secret-of-a",
            store: `sqlite:${directory}/../${basename(directory)}/a.db`
          }),
          shop("c", { merchantSecret: "secret-of-old-times", store: shop("a").store }),
          shop("d", { forwardSecret: "secret-of-old-times" }),
          shop("e", {
            merchantSecretPrevious: "secret-of-d",
            store: `sqlite:file:${directory}/%61.db`
          }),
          shop("f", { forwardSecret: `whsec_${btoa("secret-of-old-times")}` }),
          shop("g", { merchantSecret: `whsec_${btoa("text")}` }),
          shop("h", { forwardSecret: `whsec_${btoa("text")}` })
        ]
      },
      [
        "merchants[1].merchantSecret cannot be used: merchants[0] has it too, and each merchant needs its own.",
        "merchants[1].store cannot be used: merchants[0] has it too, and each merchant needs its own.",
        "merchants[2].merchantSecret cannot be used: merchants[0] has it",
        "merchants[2].store cannot be used: merchants[0] has it",
        "merchants[3].forwardSecret cannot be used: merchants[0] has it",
        "merchants[4].merchantSecretPrevious cannot be used: merchants[3] has it",
        "merchants[4].store cannot be used: merchants[0] has it",
        "merchants[5].forwardSecret cannot be used: merchants[0] has it",
        "merchants[7].forwardSecret cannot be used: merchants[6] has it"
      ]
    ],
    [
      "links to a store, and to the directory of one that does not exist yet",
      {
        merchants: [
          shop("a", { store: `sqlite:${join(directory, "linked.db")}` }),
          shop("b", { store: `sqlite:${join(directory, "link.db")}` }),
          shop("c"),
          shop("d", { store: `sqlite:${join(directory, "link", "c.db")}` })
        ]
      },
      [
        "merchants[1].store cannot be used: merchants[0] has it too",
        "merchants[3].store cannot be used: merchants[2] has it too"
      ]
    ],
    [
      "a store that cannot be opened",
      { merchants: [shop("a"), shop("b", { store: "sqlite:/missing/b.db" })] },
      ["Merchant b: The SQLite file /missing/b.db cannot be used"]
    ],
    [
      "an account or an id with two merchants",
      { merchants: [shop("a"), shop("b", { accounts: ["mid-a"] }), shop("a")] },
      [
        "merchants[1].accounts cannot be used: merchants[0] has it too, and each merchant needs its own.",
        "merchants[2].id cannot be used: merchants[0] has it too, and each merchant needs its own."
      ]
    ]
  ])("names what is wrong: %s", function* (_, content, sentences) {
    const file = content === undefined ? join(directory, "missing.json") : fileOf(content)
    const lines = (yield* refusal(file)).join("\n")
    for (const sentence of sentences) expect(lines).toContain(sentence)
    expect(lines).not.toMatch(/s3cret|secret-of|mid-/u)
  })

  live("names each fault in one line", function* () {
    const { id: _id, merchantKey: _key, ...withoutIdAndKey } = shop("c")
    const file = fileOf({
      mercahnts: [],
      merchants: [
        shop("a", { merchantSecret: { env: "SHOP_A_SECRET" } }),
        shop("b", { merchantSecret: { env: "s3cret" }, forwardSecret: "" }),
        withoutIdAndKey,
        { ...shop("d"), id: 5, merchantKey: "", merchantSecret: ["s3cret"] }
      ]
    })
    expect(yield* refusal(file)).toEqual([
      "The merchants file has an unknown field mercahnts: give merchants.",
      "merchants[0].merchantSecret cannot be used: the variable SHOP_A_SECRET is not set.",
      "merchants[1].merchantSecret cannot be used: the variable in env is not set.",
      "merchants[1].forwardSecret cannot be used: give a non-empty string, or omit the field to use merchantSecret.",
      "merchants[2].id is missing.",
      "merchants[2].merchantKey is missing.",
      "merchants[3].id cannot be used: give a string.",
      expect.stringMatching(/^merchants\[3\]\.merchantSecret cannot be used: give a string, or /u),
      expect.stringMatching(/^merchants\[3\]\.merchantKey cannot be used: it must not be empty/u)
    ])
  })

  live("A44: names the file or the folder that cannot be read, and the reason", function* () {
    expect(yield* refusal(directory)).toEqual([
      `The merchants file ${directory} cannot be used: it is a directory.`
    ])
    expect(yield* refusal("/dev/null")).toEqual([
      "The merchants file /dev/null cannot be used: it is not a regular file."
    ])
    const missing = join(directory, "no", "merchants.json")
    expect(yield* refusal(missing)).toEqual([
      `The merchants file ${missing} cannot be used: the folder ${join(directory, "no")} does not exist.`
    ])
  })

  live("reads UTF-8 with or without a byte order mark, and refuses another encoding", function* () {
    const content = JSON.stringify({
      merchants: [shop("a", { merchantKey: "clé", accounts: null })]
    })
    const [marked, latin] = [`\uFEFF${content}`, Buffer.from(content, "latin1")].map(fileOf)
    expect(yield* refusal(marked ?? "")).toEqual([
      "merchants[0].accounts cannot be used: name at least one, or omit the field to accept every account."
    ])
    expect(yield* refusal(latin ?? "")).toEqual([
      `The merchants file ${latin} cannot be used: it is not UTF-8: save it as UTF-8.`
    ])
  })

  live("names a merchant whose store is that of another one under another name", function* () {
    symlinkSync(join(directory, "x.db"), join(directory, "y.db"))
    expect(yield* refusal(fileOf({ merchants: [shop("x"), shop("y")] }))).toEqual([
      expect.stringMatching(/^Merchant [xy]: The store belongs to another merchant key/u)
    ])
  })

  live("names the base URL that merchants share once", function* () {
    const file = fileOf({ merchants: [shop("a"), shop("b"), shop("c")] })
    expect(yield* refusal(file, {})).toEqual([
      "PAWL_BASE_URL is not set: set it, or give each merchant a baseUrl."
    ])
    expect(yield* refusal(file, { PAWL_BASE_URL: "http://s3cret.example/api" })).toEqual([
      "PAWL_BASE_URL cannot be used: use https; http is for loopback hosts only."
    ])
  })

  live("has no limit of merchants, and one application for several of them", function* () {
    const merchants = Array.from({ length: 300 }, (_, n) =>
      shop(`shop-${n}`, {
        accounts: n === 299 ? ["mid-shop-0"] : [`mid-shop-${n}`],
        store: ["memory"],
        baseUrl: "http://127.0.0.1:9/api",
        forwardSecret: "secret-of-application"
      })
    )
    expect(yield* refusal(fileOf({ merchants }))).toEqual([
      "merchants[299].accounts cannot be used: merchants[0] has it too, and each merchant needs its own."
    ])
  })

  live("is not mixed with the settings of one merchant", function* () {
    const file = fileOf({ merchants: [shop("a")] })
    const env = { ...nobody, PAWL_MERCHANTS_FILE: file }
    expect(yield* refused(env, "--port", "0", "--store", "memory")).toEqual([
      "--store and --forward cannot be used with --merchants: the file has them for each merchant."
    ])
  })
})
