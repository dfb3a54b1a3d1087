import * as Courier from "@pawl/testkit/Courier"
import * as NodeOutbound from "../src/internal/NodeOutbound.ts"
import { assert, describe, it } from "vitest"
import { address, control, pay, test } from "./support/sandbox.ts"
import { receiver } from "./support/wire.ts"

const refusedOf = (urls: ReadonlyArray<string>, allowed: ReadonlyArray<string> = []) =>
  urls.filter((url) => !NodeOutbound.isAllowed(allowed, 4010)(new URL(url)))

describe("D01: without an allowed host, a callback", () => {
  it("is sent to this machine in every spelling", () => {
    const here = [
      "127.0.0.1",
      "127.1",
      "2130706433",
      "0x7f.1",
      "0177.0.0.1",
      "①②⑦.⓪.⓪.①",
      "127.255.255.254",
      "localhost",
      "LOCALHOST",
      "[::1]",
      "[0:0:0:0:0:0:0:1]"
    ]
    assert.deepStrictEqual(refusedOf(here.map((host) => `http://${host}:8080/cb`)), [])
  })

  it("is sent to no other host", () => {
    const elsewhere = [
      "shop.example",
      "127.0.0.1.shop.example",
      "localhost.shop.example",
      "localhost.",
      "localhost.localdomain",
      "0",
      "0.0.0.0",
      "10.0.0.1",
      "172.16.0.1",
      "192.168.0.1",
      "100.64.0.1",
      "198.51.100.1",
      "128.0.0.1",
      "126.255.255.255",
      "169.254.169.254",
      "169.254.170.2",
      "100.100.100.200",
      "192.0.0.192",
      "2852039166",
      "0xa9fea9fe",
      "0251.0376.0251.0376",
      "[::]",
      "[::ffff:7f00:1]",
      "[::ffff:127.0.0.1]",
      "[::ffff:a9fe:a9fe]",
      "[fd00:ec2::254]",
      "[fe80::1]",
      "[::2]",
      "[64:ff9b::7f00:1]",
      "metadata.google.internal",
      "instance-data",
      "user@127.0.0.1",
      "user:pass@127.0.0.1",
      "127.0.0.1@shop.example"
    ].map((host) => `http://${host}:8080/cb`)
    assert.deepStrictEqual(refusedOf(elsewhere), elsewhere)
    const others = [
      "file:///etc/passwd",
      "ftp://127.0.0.1:8080/",
      "gopher://127.0.0.1:8080/",
      "data:,x"
    ]
    assert.deepStrictEqual(refusedOf(others), others)
  })

  it("is sent to no port below 1024, and not to the sandbox itself", () => {
    const ports = [1, 22, 25, 80, 443, 1023, 4010].map((port) => `http://127.0.0.1:${port}/`)
    ports.push(
      "http://localhost:4010/",
      "http://[::1]:4010/",
      "http://127.9.9.9:4010/",
      "http://127.0.0.1/",
      "https://127.0.0.1/"
    )
    assert.deepStrictEqual(refusedOf(ports), ports)
    assert.deepStrictEqual(refusedOf(["http://127.0.0.1:1024/", "http://127.0.0.1:65535/"]), [])
  })
})

describe("D01: an allowed host", () => {
  const allowed = [
    "Shop.example",
    "10.1.2.3:81",
    "127.0.0.1:80",
    "169.254.169.254",
    "[::1]:443",
    "127.0.0.1:4010"
  ]

  it("is reached at ports 80, 443 and above 1023, or at the named port", () => {
    const passing = [
      "http://shop.example/cb",
      "https://SHOP.example/cb",
      "http://shop.example:8443/",
      "http://10.1.2.3:81/",
      "http://127.0.0.1/",
      "https://[::1]/"
    ]
    assert.deepStrictEqual(refusedOf(passing, allowed), [])
  })

  it("is only that host, and never a cloud metadata address or the sandbox", () => {
    const refused = [
      "http://shop.example:25/",
      "http://www.shop.example/",
      "http://shop.example.evil.example/",
      "http://10.1.2.3/",
      "http://10.1.2.3:8080/",
      "http://169.254.169.254/",
      "http://127.0.0.1:4010/",
      "http://a@shop.example/"
    ]
    assert.deepStrictEqual(refusedOf(refused, allowed), refused)
  })
})

test("D01: a name is connected to at the address that was checked", function* () {
  const shop = yield* receiver(() => [200])
  const { port } = new URL(shop.url)
  yield* pay({ scenario: "stuck", callbackUrl: `http://localhost:${port}/cb` })
  yield* control("POST", "/clock", { advance: "1 minute" })
  assert.lengthOf(shop.received, 3)
})

it("D01: a name may not resolve to a blocked address: localhost is loopback, and metadata addresses are blocked", () => {
  for (const [name, address, may] of [
    ["localhost", "127.0.0.1", true],
    ["localhost", "::1", true],
    ["LocalHost", "10.0.0.1", false],
    ["localhost", "203.0.113.1", false],
    ["shop.example", "203.0.113.1", true],
    ["shop.example", "10.0.0.1", true],
    ["shop.example", "169.254.169.254", false],
    ["shop.example", "::ffff:169.254.169.254", false],
    ["shop.example", "0.0.0.0", false],
    ["shop.example", "::", false],
    ["shop.example", "fd00:ec2::254", false]
  ] as const) {
    assert.strictEqual(NodeOutbound.isAllowedAddress(name, address), may, `${name} ${address}`)
  }
})

test("D01: the sandbox refuses to post to itself, and logs it", function* () {
  const { port } = yield* address
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    const callbackUrl = `http://${host}:${port}/sandbox/reset`
    yield* pay({ requestId: host, scenario: "stuck", callbackUrl })
  }
  yield* control("POST", "/clock", { advance: "1 day" })
  const { deliveries } = yield* Courier.Courier
  assert.deepStrictEqual(
    (yield* deliveries).map(({ answer, attempt }) => [answer, attempt]),
    Array.from({ length: 9 }, () => ["refused", 1])
  )
})
