import { forAll } from "@pawl/test-support/Properties"
import * as Cause from "effect/Cause"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import * as PawlConfig from "../src/PawlConfig.ts"

const options: PawlConfig.Options = {
  baseUrl: "https://payments.example/api",
  merchantKey: "key",
  merchantSecret: Redacted.make("secret")
}

const values = (config: PawlConfig.PawlConfig["Service"]) => ({
  ...config,
  currentSecret: undefined,
  merchantSecret: undefined,
  secret: Redacted.value(config.currentSecret())
})

const make = (changed: Partial<PawlConfig.Options>) =>
  Effect.runSync(Effect.result(PawlConfig.make({ ...options, ...changed })))

const setting = (changed: Partial<PawlConfig.Options>) =>
  Result.match(make(changed), { onFailure: (error) => error.setting, onSuccess: () => "accepted" })

describe("the base URL", () => {
  it("B03 is https, or http for a loopback host, and ends in /api", () => {
    for (const [text, normalized] of [
      ["https://payments.example/api", "https://payments.example/api"],
      ["https://payments.example/api/", "https://payments.example/api"],
      ["HTTPS://PAYMENTS.example:443/eu/api", "https://payments.example/eu/api"],
      ["http://localhost:4010/api", "http://localhost:4010/api"],
      ["http://127.0.0.1:4010/api", "http://127.0.0.1:4010/api"],
      ["http://127.1/api", "http://127.0.0.1/api"],
      ["http://[::1]:4010/api", "http://[::1]:4010/api"]
    ] as const) {
      expect(Result.getOrThrow(make({ baseUrl: text })).baseUrl).toBe(normalized)
    }
  })

  it("B03 is refused in any other form", () => {
    for (const baseUrl of [
      "",
      "payments.example/api",
      "/api",
      "ftp://payments.example/api",
      "http://payments.example/api",
      "http://localhost.payments.example/api",
      "http://127.0.0.1.payments.example/api",
      "http://128.0.0.1/api",
      "ftp://localhost/api",
      "https://key@payments.example/api",
      "https://key:secret@payments.example/api",
      "https://:secret@payments.example/api",
      "https://payments.example/api?key=secret",
      "https://payments.example/api#x",
      "https://payments.example",
      "https://payments.example/v1",
      "https://payments.example/api/v1",
      "https://payments.example/myapi"
    ]) {
      expect([baseUrl, setting({ baseUrl })]).toEqual([baseUrl, "baseUrl"])
    }
  })

  it("is refused in one sentence that does not repeat it", () =>
    forAll([fc.webUrl({ withQueryParameters: true })], (baseUrl) => {
      const result = make({ baseUrl: `${baseUrl}&canary` })
      if (Result.isSuccess(result)) throw new Error("accepted")
      expect(inspect(result.failure)).not.toContain("canary")
      expect(result.failure.message).toMatch(
        /^baseUrl cannot be used: [^.]*(?:https:\/\/payments\.example\/api)?$/u
      )
    }))
})

describe("the credentials", () => {
  it("A03 are refused when missing, empty or padded, for example with a line break", () => {
    for (const text of [
      undefined as never,
      "",
      " ",
      "secret\n",
      "\tsecret",
      "secret ",
      "\u00a0secret"
    ]) {
      expect(setting({ merchantSecret: Redacted.make(text) })).toBe("merchantSecret")
      expect(setting({ merchantKey: text })).toBe("merchantKey")
    }
    expect(setting({ merchantSecret: Redacted.make("two words") })).toBe("accepted")
  })

  it("refuse a secret that is plain text, in one sentence without it", () => {
    const canary = "canary-5d1f"
    for (const secret of [canary, undefined, null, 7, { secret: canary }]) {
      const result = make({ merchantSecret: secret as never })
      if (Result.isSuccess(result)) throw new Error("accepted")
      expect(result.failure.message).toBe(
        "merchantSecret cannot be used: give it as Redacted.make(secret), not as plain text"
      )
    }
  })

  it("appear in no error, and not in the configuration when it is printed", () => {
    const canary = "canary-5d1f"
    const printed = [
      make({ merchantSecret: Redacted.make(`${canary} `) }),
      make({ merchantSecret: Redacted.make(canary) }),
      make({ merchantKey: `${canary} ` })
    ].map((result) => `${inspect(result, { depth: 9 })} ${JSON.stringify(result)}`)
    expect(printed.join()).not.toContain(canary)
    const { currentSecret } = Result.getOrThrow(make({}))
    expect(currentSecret().label).toBe("merchantSecret")
  })
})

describe("the limits", () => {
  it("have defaults", () => {
    const config = Result.getOrThrow(make({}))
    expect({ ...config, attemptTimeout: Duration.toSeconds(config.attemptTimeout) }).toMatchObject({
      attemptTimeout: 10,
      totalTimeout: Duration.seconds(30),
      cooldown: Duration.seconds(30),
      maxAttempts: 4,
      connections: 256,
      retryRatio: 0.2,
      headers: {},
      hooks: undefined
    })
  })

  it("allow a whole number of attempts, 1 or more", () => {
    for (const connections of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(setting({ connections })).toBe("connections")
    }
    for (const retryRatio of [-0.1, Number.NaN, "0.2" as never])
      expect(setting({ retryRatio })).toBe("retryRatio")
    for (const retryRatio of [0, 0.2, 3]) expect(setting({ retryRatio })).toBe("accepted")
    for (const maxAttempts of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(setting({ maxAttempts })).toBe("maxAttempts")
    }
    expect(setting({ maxAttempts: 1 })).toBe("accepted")
  })

  it("are finite durations above zero", () => {
    const durations = ["attemptTimeout", "totalTimeout", "cooldown"] as const
    for (const name of durations) {
      for (const duration of [
        "soon",
        "",
        "0 seconds",
        "-1 second",
        "Infinity",
        0,
        -1,
        Number.NaN
      ]) {
        expect([duration, setting({ [name]: duration as Duration.Input })]).toEqual([
          duration,
          name
        ])
      }
      const config = Result.getOrThrow(make({ [name]: "1500 millis" }))
      expect(Duration.toMillis(config[name])).toBe(1500)
    }
  })
})

describe("headers", () => {
  it("have names and values that can be sent, and names that the client does not set", () => {
    for (const name of ["X-Gateway-Key", "user-agent", "x_1"])
      expect(setting({ headers: { [name]: "value 1" } })).toBe("accepted")
    for (const name of ["Authorization", "content-type", "Host", "x y", "x:", "", "é"])
      expect(setting({ headers: { [name]: "value" } })).toBe("headers")
    for (const value of ["a\r\nx-evil: 1", "a\u0000", "é"])
      expect(setting({ headers: { "x-one": value } })).toBe("headers")
    expect(setting({ headers: { "x-one": "1", host: "other.example" } })).toBe("headers")
    for (const value of ["", "\t ~"])
      expect(setting({ headers: { "x-one": value } })).toBe("accepted")
    for (const headers of [new Headers({ "x-one": "1" }), new Map([["x-one", "1"]]), [], "x"])
      expect(setting({ headers: headers as never })).toBe("headers")
  })

  it.each([
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade"
  ])("may not be %s, but a longer name", (name) => {
    expect(setting({ headers: { [name]: "value" } })).toBe("headers")
    expect(setting({ headers: { [`x-${name}`]: "value" } })).toBe("accepted")
    expect(setting({ headers: { [`${name}-x`]: "value" } })).toBe("accepted")
  })
})

describe("layerConfig", () => {
  const reading = (env: Record<string, string>, layer = PawlConfig.layerConfig()) =>
    PawlConfig.PawlConfig.use(Effect.succeed).pipe(
      Effect.provide(Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env }))))
    )
  const read = (...args: Parameters<typeof reading>) => Effect.runSync(reading(...args))

  const required = {
    PAWL_BASE_URL: "https://payments.example/api",
    PAWL_MERCHANT_KEY: "key",
    PAWL_MERCHANT_SECRET: "canary-5d1f"
  }
  const limits = {
    PAWL_ATTEMPT_TIMEOUT: "2 seconds",
    PAWL_TOTAL_TIMEOUT: "1 minute",
    PAWL_MAX_ATTEMPTS: "7",
    PAWL_COOLDOWN: "500 millis",
    PAWL_CONNECTIONS: "8",
    PAWL_RETRY_RATIO: "0.5"
  }

  const refused = (env: Record<string, string>) => {
    const exit = Effect.runSyncExit(reading(env))
    if (exit._tag === "Success") throw new Error("accepted")
    const error = Cause.squash(exit.cause)
    if (!Schema.is(PawlConfig.InvalidConfig)(error)) throw new Error("another error")
    expect(`${Cause.pretty(exit.cause)} ${inspect(exit, { depth: 20 })}`).not.toContain("canary")
    return error
  }

  it("reads every setting, and requires three of them", () => {
    const some = values(read(required))
    const defaults = values(Result.getOrThrow(make({})))
    expect(some).toEqual({ ...defaults, secret: some.secret })
    const all = read({ ...required, ...limits })
    expect(all).toMatchObject({
      baseUrl: required.PAWL_BASE_URL,
      merchantKey: "key",
      attemptTimeout: Duration.seconds(2),
      totalTimeout: Duration.minutes(1),
      maxAttempts: 7,
      cooldown: Duration.millis(500),
      connections: 8,
      retryRatio: 0.5
    })
    expect(values(all).secret).toBe("canary-5d1f")
    // `headers` and `hooks` have no variable, and the secret has two members.
    expect(Object.keys(all).length).toBe(Object.keys({ ...required, ...limits }).length + 3)
  })

  it("takes the settings that no variable can hold as options", () => {
    const hooks = { onRequest: () => Effect.void }
    const given = PawlConfig.layerConfig(Config.succeed({ headers: { "X-One": "1" }, hooks }))
    const config = read(required, given)
    expect(config.headers).toEqual({ "x-one": "1" })
    expect(config.hooks).toBe(hooks)
    const wrong = PawlConfig.layerConfig({ headers: { host: Config.succeed("other.example") } })
    const error = Effect.runSync(Effect.flip(reading(required, wrong)))
    expect(error).toMatchObject({ _tag: "InvalidConfig", setting: "headers" })
  })

  it("names the variable in place of an option that is undefined", () => {
    const env = { ...required, PAWL_MAX_ATTEMPTS: "many" }
    const refused = PawlConfig.layerConfig(Config.succeed({ maxAttempts: undefined })).pipe(
      Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
      Layer.build,
      Effect.scoped,
      Effect.flip,
      Effect.runSync
    )
    expect(refused).toMatchObject({ _tag: "InvalidConfig", setting: "PAWL_MAX_ATTEMPTS" })
  })

  it("are those of each configuration in one program", () => {
    const keys = Effect.gen(function* () {
      const memoMap = yield* Layer.makeMemoMap
      const scope = yield* Effect.scope
      return yield* Effect.forEach(["one", "two"], (merchantKey) => {
        const env = { ...required, PAWL_MERCHANT_KEY: merchantKey }
        const provider = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
        return Effect.flatMap(
          Layer.buildWithMemoMap(Layer.provide(PawlConfig.layerConfig(), provider), memoMap, scope),
          (context) => Effect.provide(PawlConfig.PawlConfig.use(Effect.succeed), context)
        )
      })
    })
    const configs = Effect.runSync(Effect.scoped(keys))
    expect(configs.map(({ merchantKey }) => merchantKey)).toEqual(["one", "two"])
  })

  it("names all missing variables in one sentence", () =>
    forAll(
      [fc.subarray(Object.keys(required), { minLength: 1 }), fc.boolean()],
      (missing, isEmpty) => {
        const environment = Object.entries(required).flatMap(([name, value]) =>
          missing.includes(name) ? (isEmpty ? [[name, ""]] : []) : [[name, value]]
        )
        expect(refused(Object.fromEntries(environment)).message).toBe(
          `Set ${missing.join(", ")} in the environment: there is no default`
        )
      }
    ))

  it("names the variable that is invalid", () => {
    for (const [name, text] of [
      ["PAWL_BASE_URL", "http://canary.example/api"],
      ["PAWL_MERCHANT_KEY", "canary "],
      ["PAWL_MERCHANT_SECRET", "canary-5d1f\n"],
      ["PAWL_ATTEMPT_TIMEOUT", "canary"],
      ["PAWL_TOTAL_TIMEOUT", "30"],
      ["PAWL_MAX_ATTEMPTS", "canary"],
      ["PAWL_COOLDOWN", "-1 second"],
      ["PAWL_CONNECTIONS", "0"],
      ["PAWL_RETRY_RATIO", "-0.1"],
      ...Object.keys(limits).flatMap((name) => [" ", "\t"].map((blank) => [name, blank] as const))
    ] as const) {
      const error = refused({ ...required, ...limits, [name]: text })
      expect([error._tag, error.setting, error.stack]).toEqual(["InvalidConfig", name, ""])
      expect(error.message).toMatch(new RegExp(`^${name} cannot be used: [^.]+$`, "u"))
    }
  })
})
