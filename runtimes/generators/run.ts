/**
 * Makes clients of openapi.json with the generators of others, and drives each against a sandbox:
 * `pnpm generators [openapi-typescript hey-api swagger-typescript-api quicktype python java]`.
 *
 * Each client makes an APM payment, reads its status and cancels a subscription; that of Java also
 * makes a refund, because its integers have a width. A generator whose tools are missing is skipped.
 */
import { once } from "node:events"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as Programs from "../programs.ts"
import { card, paymentOf, urls } from "./inputs.ts"

const here = import.meta.dirname
const root = join(here, "../..")
const dist = join(here, "dist")
const openapi = join(root, "packages/sandbox/openapi.json")
const openapi30 = join(dist, "openapi30.json")
const jar = join(here, "node_modules/@openapitools/openapi-generator-cli/bin/openapi-generator.jar")
const classes = join(dist, "classes")
const bin = (name: string): string => join(here, "node_modules/.bin", name)

/** Runs a command, split at its spaces. A value is part of a word; each text of a list is one. */
const run = (
  texts: TemplateStringsArray,
  ...values: ReadonlyArray<string | ReadonlyArray<string>>
): Promise<string> => {
  const line = texts.reduce((before, text, at) => `${before}{${at - 1}}${text}`)
  const [program = "", ...args] = line.split(" ").flatMap((word) => {
    const whole = values[Number(/^\{(\d+)\}$/u.exec(word)?.[1])]
    return whole ?? word.replaceAll(/\{(\d+)\}/gu, (_, at) => String(values[Number(at)]))
  })
  return Programs.run(program, args, here)
}

interface Node {
  readonly [key: string]: unknown
}

/**
 * Returns openapi.json in version 3.0, without null and webhooks, because the newest generator that
 * npm has with its program reads no other.
 */
const asOpenApi30 = (document: Node): Node => {
  const older = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(older)
    if (typeof value !== "object" || value === null) return value
    const { anyOf, ...rest } = value as Node
    const [first, second] = Array.isArray(anyOf) ? (anyOf as ReadonlyArray<Node>) : []
    const node = second?.["type"] === "null" ? { ...rest, ...first } : (value as Node)
    return Object.fromEntries(Object.entries(node).map(([key, member]) => [key, older(member)]))
  }
  const { components, info, webhooks: _webhooks, ...rest } = document
  const { license: _license, ...described } = info as Node
  const {
    ApmCallback: _apm,
    CardCallback: _card,
    ...schemas
  } = (components as Node)["schemas"] as Node
  return older({
    ...rest,
    openapi: "3.0.3",
    info: described,
    components: { ...(components as Node), schemas }
  }) as Node
}

const writeSchemas = async (path: string): Promise<void> => {
  const { components } = JSON.parse(await readFile(openapi, "utf8")) as {
    readonly components: { readonly schemas: Node }
  }
  const definitions = JSON.stringify(components.schemas)
  await writeFile(
    path,
    `{"definitions":${definitions.replaceAll("#/components/schemas/", "#/definitions/")}}`
  )
}

const openApiGenerator = async (
  language: string,
  ...args: ReadonlyArray<string>
): Promise<string> => {
  const directory = join(dist, language)
  const document = JSON.parse(await readFile(openapi, "utf8")) as Node
  await writeFile(openapi30, JSON.stringify(asOpenApi30(document)))
  await run`java -jar ${jar} generate -i ${openapi30} -g ${language} -o ${directory} ${args}`
  return directory
}

interface Generator {
  readonly make: () => Promise<unknown>
  readonly needs?: ReadonlyArray<ReadonlyArray<string>>
  readonly drive: (...args: ReadonlyArray<string>) => Promise<string>
}

const typescript = (name: string, make: () => Promise<unknown>): Generator => ({
  make: async () => {
    await make()
    await run`${bin("tsc")} ${name}.ts --noEmit --strict --skipLibCheck --types node --target esnext --module esnext --moduleResolution bundler`
    await run`${bin("esbuild")} ${name}.ts --bundle --platform=node --format=esm --outfile=dist/bundles/${name}.mjs`
  },
  drive: (...args) => run`${process.execPath} dist/bundles/${name}.mjs ${args}`
})

const generators: Readonly<Record<string, Generator>> = {
  "openapi-typescript": typescript(
    "openapiTypescript",
    () => run`${bin("openapi-typescript")} ${openapi} -o dist/openapiTypescript.ts`
  ),
  "hey-api": typescript(
    "heyApi",
    () =>
      run`${bin("openapi-ts")} -i ${openapi} -o dist/heyApi -p @hey-api/client-fetch @hey-api/sdk @hey-api/typescript`
  ),
  "swagger-typescript-api": typescript(
    "swaggerTypescriptApi",
    () =>
      run`${bin("swagger-typescript-api")} generate -p ${openapi} -o dist -n swaggerTypescriptApi.ts`
  ),
  quicktype: typescript("quicktype", async () => {
    const schemas = join(dist, "schemas.json")
    await writeSchemas(schemas)
    await run`${bin("quicktype")} -s schema -l typescript -o dist/quicktype.ts ${schemas}#/definitions/`
  }),
  python: {
    needs: [
      ["java", "-version"],
      ["python3", "-c", "import certifi, dateutil, six, urllib3"]
    ],
    make: () => openApiGenerator("python"),
    drive: (...args) =>
      run`env PYTHONPATH=${join(dist, "python")} python3 drive.py ${args} ${JSON.stringify(paymentOf("python"))}`
  },
  java: {
    needs: [["javac", "-version"]],
    make: async () => {
      const directory = await openApiGenerator("java", "--library", "native")
      const sources = join(directory, "src/main/java")
      // The jar of the generator has the libraries of its client.
      await run`javac -nowarn -cp ${jar} -sourcepath ${sources} -d ${classes} Drive.java JsonNullableModule.java`
    },
    drive: (...args) => {
      const refund = { requestId: "java", mid: "m-1", amount: "10.50", currency: "EUR", card }
      const bodies = [paymentOf("java"), refund].map((body) => JSON.stringify(body))
      return run`java -cp ${classes}:${jar} Drive ${args} ${bodies}`
    }
  }
}

const missing = async ({ needs = [] }: Generator): Promise<string | undefined> => {
  for (const command of needs) {
    const isThere = await run`${command}`.then(
      () => true,
      () => false
    )
    if (!isThere) return command.join(" ")
  }
  return undefined
}

const startSandbox = async () => {
  const command = join(root, "packages/sandbox/src/bin/pawl-sandbox.ts")
  const { child, line } = Programs.start(
    process.execPath,
    [command, "--port", "0", "--quiet"],
    here
  )
  const { origin } = new URL(await line)
  let token = ""
  const call = async (method: string, path: string, body?: Node): Promise<Node> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    if (!response.ok)
      throw new Error(`${path} answered ${response.status} ${await response.text()}`)
    return (await response.json()) as Node
  }
  const credentials = { merchantKey: "sandbox-key", merchantSecret: "sandbox-secret" }
  token = String((await call("POST", "/api/v1/auth", credentials))["accessToken"])
  const mid = "m-1"
  const { cardToken } = await call("POST", "/api/v1/payments/card/tokenize", {
    requestId: "token",
    mid,
    card
  })
  const subscribe = async (requestId: string): Promise<string> => {
    const plan = {
      amount: "10.50",
      currency: "EUR",
      frequency: "MONTHLY",
      interval: 1,
      startDate: "2100-01-31"
    }
    const body = { requestId, mid, cardToken, plan, ...urls }
    return String((await call("POST", "/api/v1/payments/card/recurring", body))["subscriptionId"])
  }
  return { call, child, origin, subscribe, token }
}

type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/** Drives a client, and asks the sandbox whether its payment and its cancellation arrived. */
const check = async (
  name: string,
  { drive }: Generator,
  { call, origin, subscribe, token }: Sandbox
): Promise<void> => {
  const subscriptionId = await subscribe(name)
  const { id, status } = JSON.parse(await drive(origin, token, subscriptionId)) as Node
  const { history } = await call("GET", `/sandbox/transactions/${String(id)}`)
  const statuses = (history as ReadonlyArray<Node>).map((move) => move["status"])
  if (!statuses.includes(status)) {
    throw new Error(`The status is ${String(status)}, and was ${statuses.join(", ")}`)
  }
  const subscription = await call("GET", `/api/v1/payments/card/recurring/${subscriptionId}`)
  if (subscription["status"] !== "CANCELED") {
    throw new Error(`The subscription is ${String(subscription["status"])}`)
  }
}

const names = process.argv.slice(2)
const unknown = names.filter((name) => !Object.hasOwn(generators, name))
if (unknown.length > 0) {
  console.error(
    `Unknown generator ${unknown.join(", ")}. Known: ${Object.keys(generators).join(", ")}`
  )
  process.exit(1)
}
const selected = Object.entries(generators).filter(
  ([name]) => names.length === 0 || names.includes(name)
)

await rm(dist, { recursive: true, force: true })
await mkdir(dist)
const sandbox = await startSandbox()
try {
  let ran = 0
  for (const [name, generator] of selected) {
    const start = performance.now()
    process.stdout.write(name.padEnd(24))
    const lacking = await missing(generator)
    if (lacking !== undefined) {
      console.log(`skipped: there is no \`${lacking}\``)
      continue
    }
    try {
      await generator.make()
      await check(name, generator, sandbox)
      ran++
      console.log(`ok  ${((performance.now() - start) / 1000).toFixed(1)} s`)
    } catch (error) {
      process.exitCode = 1
      console.log(`FAILED\n${error instanceof Error ? error.message : String(error)}`)
    }
  }
  console.log(`${ran} of ${selected.length} clients paid, read the status and cancelled`)
} finally {
  sandbox.child.kill()
  await once(sandbox.child, "exit")
}
