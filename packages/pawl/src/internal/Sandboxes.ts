/**
 * The service on a port, of `@pawl/sandbox`.
 */
import * as Sandboxed from "@pawl/sandbox/Sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Functions from "./Functions.ts"
import type { Sandbox, SandboxOptions } from "../testing.ts"
import * as Controls from "./Controls.ts"
import { placed } from "./Promised.ts"

export const start = (options: SandboxOptions): Promise<Sandbox> => {
  const runtime = ManagedRuntime.make(
    Layer.provideMerge(Sandboxed.layer(options), Functions.references({}))
  )
  const close = () => runtime.dispose()
  return runtime.runPromise(Effect.context<Sandboxed.Services>()).then(
    (context) => ({
      baseUrl: Context.get(context, Sandboxed.Sandbox).baseUrl,
      merchantKey: "sandbox-key",
      merchantSecret: Controls.merchantSecret,
      ...Controls.make(context),
      close,
      [Symbol.asyncDispose]: close
    }),
    (error: unknown) => {
      throw placed(error, new Error(""))
    }
  )
}
