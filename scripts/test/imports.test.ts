import { describe, expect, it } from "vitest"

import { findings, imports } from "../imports.ts"

const finding = (path: string, specifier: string): string | undefined =>
  findings(path, `import * as it from "${specifier}"\n`)[0]

describe("imports point down", () => {
  it.each([
    ["packages/core/src/Status.ts", "effect/Schema"],
    ["packages/core/src/Status.ts", "./Evidence.ts"],
    ["packages/core/src/Evidence.ts", "./Refund.ts"],
    ["packages/core/src/Reducer.ts", "./Transaction.ts"],
    ["packages/core/src/Refund.ts", "effect/http/HttpClient"],
    ["packages/core/src/Refund.ts", "effect/sql/SqlClient"],
    ["packages/core/src/Refund.ts", "@pawl/http/Transport"],
    ["packages/core/src/Refund.ts", "fast-check"],
    ["packages/http/src/Refunds.ts", "@pawl/webhook/Ledger"],
    ["packages/http/src/NodeTransport.ts", "@effect/platform-node/NodeHttpClient"],
    ["packages/http/src/Refunds.ts", "@pawl/testkit/Fake"],
    ["packages/http/src/NodeTransport.ts", "vitest"],
    ["packages/webhook/src/internal/work/Confirmer.ts", "@pawl/http/StatusPoller"],
    ["packages/webhook/src/NodeSqlite.ts", "@pawl/http/StatusPoller"],
    ["packages/webhook/src/NodeSqlite.ts", "@effect/sql-pg/PgClient"],
    ["packages/receiver/src/bin/pawl-receiver.ts", "@pawl/testkit/Fake"],
    ["packages/receiver/src/NodeAdmin.ts", "@effect/sql-pg/PgClient"],
    ["packages/pawl/src/Pawl.ts", "@pawl/testkit/Fake"],
    ["packages/pawl/src/testing.ts", "@pawl/sandbox/Sandbox"],
    ["packages/core/test/Status.test.ts", "@pawl/testkit/Laws"],
    ["packages/http/test/Refunds.test.ts", "@pawl/testkit/Fake"],
    ["packages/webhook/test/Ledger.test.ts", "@pawl/http/Refunds"],
    ["packages/core/src/Refund.ts", "../../http/src/Endpoint.ts"],
    ["packages/core/src/Refund.ts", "../test/fixtures.ts"],
    ["examples/src/demo.ts", "../../packages/core/src/Status.ts"],
    ["proof/src/rel/sim.ts", "../../../packages/testkit/src/Laws.ts"],
    ["proof/src/rel/sim.ts", "express"],
    ["proof/src/mutants/main.ts", "@pawl/core/Status"],
    ["packages/newcomer/src/Refund.ts", "effect/Effect"]
  ])("%s may not import %s", (path, specifier) => {
    expect(finding(path, specifier)).toContain(`${path}:1 imports ${specifier}: `)
  })

  it.each([
    ["packages/core/src/Evidence.ts", "./Status.ts"],
    ["packages/core/src/Reducer.ts", "./Evidence.ts"],
    ["packages/core/src/Refund.ts", "effect/Schema"],
    ["packages/core/src/Hmac.ts", "effect/crypto/Mac"],
    ["packages/http/src/Refunds.ts", "effect/http/HttpClient"],
    ["packages/http/src/Refunds.ts", "@pawl/core/Refund"],
    ["packages/webhook/src/LedgerSql.ts", "effect/sql/SqlClient"],
    ["packages/webhook/src/NodePostgres.ts", "@effect/sql-pg/PgClient"],
    ["packages/receiver/src/bin/pawl-receiver.ts", "@effect/sql-pg/PgClient"],
    ["packages/pawl/src/internal/Sandboxes.ts", "@pawl/sandbox/Sandbox"],
    ["packages/testkit/src/Laws.ts", "fast-check"],
    ["packages/testkit/test/Journey.test.ts", "@pawl/webhook/Receiver"],
    ["packages/pawl/src/testing.ts", "@pawl/testkit/Fake"],
    ["packages/pawl/test/Pawl.test.ts", "fast-check"],
    ["packages/core/test/Status.test.ts", "../src/Status.ts"],
    ["examples/src/demo.ts", "@pawl/sandbox/Sandbox"],
    ["proof/src/rel/sim.ts", "@pawl/testkit/Laws"]
  ])("%s may import %s", (path, specifier) => {
    expect(finding(path, specifier)).toBeUndefined()
  })
})

describe("imports point down inside a package", () => {
  it.each([
    ["packages/http/src/Transport.ts", "./internal/call/Caller.ts"],
    ["packages/webhook/src/internal/rule/RowRule.ts", "../../Ledger.ts"],
    ["packages/webhook/src/internal/sql/Schema.ts", "../work/Worker.ts"],
    ["packages/testkit/src/internal/gateway/Cards.ts", "../../Fake.ts"],
    ["packages/sandbox/src/internal/pages/PayPage.ts", "../sandbox/EventFeed.ts"],
    ["packages/testkit/src/Generators.ts", "./Laws.ts"]
  ])("%s may not import %s", (path, specifier) => {
    expect(finding(path, specifier)).toContain("lies below")
  })

  it.each([
    ["packages/webhook/src/internal/work/Worker.ts", "./Ledger.ts"],
    ["packages/webhook/src/Ledger.ts", "./internal/memory/Memory.ts"],
    ["packages/sandbox/src/internal/sandbox/NodeSite.ts", "../pages/HostedPage.ts"],
    ["packages/testkit/src/Laws/Receiver.ts", "../Faults.ts"]
  ])("%s may import %s", (path, specifier) => {
    expect(finding(path, specifier)).toBeUndefined()
  })

  it("a file without a room is reported", () => {
    expect(finding("packages/webhook/src/internal/Newcomer.ts", "../Row.ts")).toContain("no room")
  })
})

describe("a module that needs Node is named for it", () => {
  it.each([
    ["packages/core/src/Hmac.ts", "node:crypto"],
    ["packages/http/src/Transport.ts", "undici"],
    ["packages/webhook/src/Receiver.ts", "@effect/platform-node/NodeHttpServer"],
    ["packages/webhook/src/Ledger.ts", "./NodeSqlite.ts"],
    ["packages/webhook/src/Verifier.ts", "@pawl/core/NodeHmac"],
    ["packages/testkit/src/Gateway.ts", "node:http"]
  ])("%s may not import %s", (path, specifier) => {
    expect(finding(path, specifier)).toContain("Node")
  })

  it.each([
    ["packages/core/src/NodeHmac.ts", "node:crypto"],
    ["packages/http/src/NodeTransport.ts", "undici/index.js"],
    ["packages/receiver/src/bin/pawl-receiver.ts", "../NodeSqlite.ts"],
    ["packages/sandbox/src/Sandbox.ts", "@effect/platform-node/NodeHttpServer"]
  ])("%s may import %s", (path, specifier) => {
    expect(finding(path, specifier)).toBeUndefined()
  })
})

it.each(["effect", "effect/http", "@effect/platform-node", "@pawl/core", "../src/index.ts"])(
  "nothing imports the barrel %s",
  (specifier) => {
    expect(finding("packages/webhook/test/Ledger.test.ts", specifier)).toContain("a barrel")
  }
)

it.each(["../src/bin/pawl-receiver.ts", "@pawl/webhook/bin/pawl-receiver"])(
  "nothing imports the bin %s",
  (specifier) => {
    expect(finding("packages/webhook/test/Receiver.test.ts", specifier)).toContain("a bin")
  }
)

it("a relative import names the file", () => {
  expect(finding("packages/core/src/Refund.ts", "./Status")).toContain("with its .ts")
  expect(finding("packages/core/src/Refund.ts", "./Status.js")).toContain("with its .ts")
})

it("finds every form of import, with its line", () => {
  const source = `import "a"
import type { A } from 'b'
import c, {
  type D // from "comment"
} from "c"
export * from "d"
export { e } from "e"
const g = await import("g")
const h = \`\${await import("h")}\`
const i = await import(name)
type J = import("j").J
`
  expect(imports(source).map(({ line, specifier }) => `${line} ${specifier ?? "?"}`)).toEqual([
    "1 a",
    "2 b",
    "3 c",
    "6 d",
    "7 e",
    "8 g",
    "9 h",
    "10 ?",
    "11 j"
  ])
  expect(findings("packages/core/src/Refund.ts", "await import(name)")).toHaveLength(1)
})
