import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { live } from "@pawl/test-support/Tests"
import * as NodePort from "../src/internal/sandbox/NodePort.ts"

live.with(() => NodePort.layer("127.0.0.1", 0))(
  "connections that the system cannot accept do not end the process",
  function* () {
    const { origin, server } = yield* NodePort.NodePort
    server.on("request", (_, response) => response.end())
    for (let failures = 0; failures < 2; failures++) {
      server.emit("error", new Error("accept ENOBUFS"))
    }
    expect((yield* Effect.promise(() => fetch(origin))).status).toBe(200)
  }
)

live("a number that is no port is an error, and no defect", function* () {
  const opened = Effect.provide(NodePort.NodePort, NodePort.layer("127.0.0.1", 65_536))
  expect(yield* Effect.flip(opened)).toMatchObject({ _tag: "CannotListen", port: 65_536 })
})
