import { serve } from "@pawl/test-support/Listener"
import { run, start } from "@pawl/test-support/Program"
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { card, incoming } from "@pawl/test-support/Service"

export const bin = new URL("../src/bin/pawl-receiver.ts", import.meta.url).pathname

export const secrets = {
  PAWL_MERCHANT_KEY: "key-that-nobody-prints",
  PAWL_MERCHANT_SECRET: "sandbox-secret",
  PAWL_MERCHANT_SECRET_PREVIOUS: "previous-that-nobody-prints",
  PAWL_FORWARD_SECRET: "forward-that-nobody-prints"
}

export const service = (statuses: ReadonlyMap<string, string>) =>
  Effect.map(
    serve((request, response) => {
      const { url = "" } = request
      const status = statuses.get(url.replace(/^\/api\/v1\/payments\/card\/status\//u, ""))
      request.resume()
      response.setHeader("content-type", "application/json")
      if (url === "/api/v1/auth") response.end('{"accessToken":"token-that-nobody-prints"}')
      else response.writeHead(status === undefined ? 404 : 200).end(JSON.stringify(status ?? {}))
    }),
    (port) => ({ PAWL_BASE_URL: `http://127.0.0.1:${port}/api` })
  )

export const nobody = { PAWL_BASE_URL: "http://127.0.0.1:9/api" }

/** Waits until the receiver serves. `admin` waits for the origin of its admin port. */
export const receiver = Effect.fnUntraced(function* (
  env: Readonly<Record<string, string>>,
  ...args: ReadonlyArray<string>
) {
  const command = [bin, "--port", "0", ...args]
  const started = yield* start(process.execPath, command, { ...secrets, ...env })
  const url = yield* started.line(/^ready (\S+)$/mu)
  const admin = started.errorLine(/admin API is at (http:[^"]+)/u)
  return { ...started, admin, url, port: Number(new URL(url).port), origin: new URL(url).origin }
})

export const ask = (url: string, init?: RequestInit) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, text: await response.text() }
  })

export const callback = (transactionId: string, transactionStatus: string) => {
  const {
    body,
    checksum = "",
    search
  } = incoming("card", card({ transactionId, transactionStatus }))
  return { search, checksum, body: new TextDecoder().decode(body) }
}

export const post = (url: string, transactionId: string, transactionStatus: string) => {
  const { body, checksum, search } = callback(transactionId, transactionStatus)
  const headers = { "content-type": "application/json; charset=utf-8", "x-checksum": checksum }
  return ask(`${url}${search}`, { method: "POST", headers, body })
}

/** Runs a command to its end, without the settings of the environment of the tests. */
export const command = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  run(process.execPath, [bin, ...args], { ...none, ...env })

export const outcome = (...call: Parameters<typeof command>) =>
  Effect.map(command(...call), ({ code, stderr, stdout }) => [code, stdout, stderr])

export const refused = Effect.fnUntraced(function* (...call: Parameters<typeof command>) {
  const { code, stderr, stdout } = yield* command(...call)
  expect(stdout).toBe("")
  expect(code).toBe(1)
  return stderr
    .trimEnd()
    .split("\n")
    .filter((line) => !line.startsWith("{"))
})

export const none = {
  PAWL_MERCHANT_KEY: "",
  PAWL_MERCHANT_SECRET: "",
  PAWL_MERCHANT_SECRET_PREVIOUS: "",
  PAWL_BASE_URL: "",
  PAWL_FORWARD_SECRET: "",
  PAWL_STORE: "",
  PAWL_ADMIN_TOKEN: "",
  PAWL_ADMIN_HOSTS: ""
}
