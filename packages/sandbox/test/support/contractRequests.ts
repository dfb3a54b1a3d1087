import { Api } from "@pawl/sandbox/internal/contract/Api"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import { assert } from "vitest"
import { credentials, fields } from "@pawl/test-support/TestGateway"
import {
  type Json,
  authenticate,
  bodyFor,
  create,
  idOf,
  it,
  kindsList,
  type noResources,
  opened,
  prepare,
  send,
  steps
} from "./contractService.ts"
import { creates, opening } from "@pawl/test-support/Creates"

const paths = Object.keys(creates)

const operations: ReadonlyArray<readonly [method: string, path: string]> = (() => {
  const all: Array<readonly [string, string]> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint: { method, path } }) => {
      if (!path.endsWith("/auth")) {
        all.push([method, path.replace("/api/v1", "").replace(/:\w+/u, "7")])
      }
    }
  })
  return all
})()

const canary = "k4n4ry"

const reads = operations.filter(([, path]) => path.endsWith("/7"))

const makeAll = Effect.fnUntraced(function* (resources: typeof noResources) {
  const made = new Map<string, string>()
  for (const path of [...opening, "/payments/card/recurring"]) {
    made.set(path, idOf(yield* create(path, {}, resources)))
  }
  return made
})

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as {
    readonly iat: number
    readonly exp: number
  }

export const requests = [
  it("every operation of the contract responds to a valid request: 200 with JSON, or 204 without a body", function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    const made = yield* makeAll(resources)
    // The id of a transaction is that of its create; the delete comes last.
    const places = operations.map(([method, path]) => {
      const owner = [...made].findLast(([maker]) => path.startsWith(ownerOf(maker)))
      return [method, owner ? path.replace(/7$/u, owner[1]) : path] as const
    })
    for (const [method, path] of places.toSorted(([one]) => (one === "DELETE" ? 1 : -1))) {
      const answer = yield* send(method, path, {
        token,
        ...(method === "POST" && { body: yield* bodyFor(path, { requestId: "sound" }, resources) }),
        ...(method === "PUT" && { body: {} })
      })
      const { body: text, headers, status } = answer
      assert.strictEqual(status, method === "DELETE" ? 204 : 200, `${method} ${path}: ${text}`)
      if (method === "DELETE") assert.strictEqual(text, "")
      else assert.strictEqual(headers["content-type"], "application/json")
      if (path.includes("/status/")) assert.match(text, /^"[A-Z_]+"$/u)
    }
  }),
  it("valid credentials get a JWT that is valid for 30 days", function* () {
    const { exp, iat } = claimsOf(yield* authenticate)
    assert.strictEqual(exp - iat, 30 * 24 * 3600)
  }),
  it("wrong credentials are 401 and not repeated; missing ones are 400 with the field name", function* () {
    for (const over of [{ merchantKey: "sandbox-kez" }, { merchantSecret: "sandbox-secres" }]) {
      const { body, status } = yield* send("POST", "/auth", { body: { ...credentials, ...over } })
      assert.strictEqual(status, 401)
      for (const resources of Object.values(over)) assert.notInclude(body, resources)
      assert.include(body, "the defaults are sandbox-key and sandbox-secret, unless")
    }
    const { json, status } = yield* send("POST", "/auth", { body: { merchantKey: 1 } })
    assert.strictEqual(status, 400)
    assert.sameMembers([...fields(json)], ["merchantKey", "merchantSecret"])
  }),
  it("no operation runs without a valid token: 401 comes before 400 and 404", function* () {
    const good = yield* authenticate
    const [header = "", claims = "", signature = ""] = good.split(".")
    const none = Buffer.from(`{"alg":"none","typ":"JWT"}`).toString("base64url")
    const later = Buffer.from(
      JSON.stringify({ ...claimsOf(good), exp: claimsOf(good).exp + 1 })
    ).toString("base64url")
    const bad = [
      undefined,
      "x",
      ".",
      `${good}x`,
      `${none}.${claims}.`,
      `${none}.${claims}.${signature}`,
      `${header}.${later}.${signature}`,
      `${header}.${claims}.${signature}=`,
      `${header}.${claims}`,
      ""
    ]
    const unknown = reads.map(([method, path]) => [method, path.replace(/7$/u, canary)] as const)
    for (const [method, path] of [...operations, ...unknown, ["GET", "/nothing"] as const]) {
      for (const token of bad) {
        const answer = yield* send(method, path, {
          token,
          ...(method === "POST" || method === "PUT" ? { body: "{" } : {})
        })
        assert.strictEqual(answer.status, 401, `${method} ${path} ${token}`)
        assert.notInclude(answer.body, canary)
      }
    }
  }),
  it("an invalid id is 400, an unknown id of the kind is 404, and so is an unknown path", function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    const made = yield* makeAll(resources)
    for (const [method, path] of reads) {
      const place = path.slice(0, -1)
      const body = method === "PUT" ? { body: {} } : {}
      for (const id of ["%00", "%2e%2e", "..", `${canary}%0a`, "x".repeat(129), ""]) {
        const {
          body: text,
          json,
          status
        } = yield* send(method, `${place}${id}`, { token, ...body })
        assert.strictEqual(status, 400, `${method} ${place}${id}`)
        assert.notInclude(text, canary)
        assert.deepStrictEqual(fields(json), [
          place.includes("recurring") ? "subscriptionId" : "id"
        ])
      }
      const others = [...made].filter(([maker]) => !place.startsWith(ownerOf(maker)))
      for (const id of ["7", "7?x=1", "constructor", ...others.map(([, id]) => id)]) {
        const { json, status } = yield* send(method, `${place}${id}`, { token, ...body })
        assert.strictEqual(status, 404, `${method} ${place}${id}`)
        assert.deepStrictEqual(json, { message: "The requested resource does not exist" })
      }
    }
    for (const [method, path] of [
      ["GET", "/payments/apm"],
      ["DELETE", "/payments/apm/status/7"],
      ["GET", "/payments/apm/status"],
      ["GET", "/payments/apm/status/7/"],
      ["GET", "/nothing"]
    ] as const) {
      assert.strictEqual((yield* send(method, path, { token })).status, 404, path)
      assert.strictEqual((yield* send(method, path)).status, 401, path)
    }
    const escaped = `/payments/apm/status/%31${made.get("/payments/apm")?.slice(1)}?x=1`
    assert.strictEqual((yield* send("GET", escaped, { token })).body, '"NEW"')
  }),
  it("a refused request does not use up its requestId; X04 a create sent a hundred times runs once, and its response stays, even to another body", function* () {
    const resources = yield* prepare
    const token = yield* authenticate
    const before = yield* opened
    for (const path of paths) {
      const ask = (over: Json) =>
        Effect.flatMap(bodyFor(path, over, resources), (body) =>
          send("POST", path, { token, body })
        )
      assert.strictEqual((yield* ask({ mid: 7, accountId: "" })).status, 400)
      const answers = [
        ...(yield* Effect.replicateEffect(ask({}), 100, { concurrency: "unbounded" })),
        ...(yield* Effect.andThen(steps(9), Effect.all([ask({}), ask({ amount: "99" })])))
      ]
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200], path)
      assert.lengthOf([...new Set(answers.map(({ body }) => body))], 1, path)
    }
    // Six transactions, and a subscription with its first charge.
    assert.strictEqual(yield* opened, before + 1 + 8)
  })
]

const ownerOf = (maker: string): string =>
  kindsList.find(([path]) => path === maker)?.[1].status.replace("status", "") ?? `${maker}/`
