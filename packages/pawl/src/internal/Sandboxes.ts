/**
 * The service on a port, of `@pawl/sandbox`.
 */
import * as Sandboxed from "@pawl/sandbox/Sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Functions from "./Functions.ts"
import * as OptionTypes from "./OptionTypes.ts"
import type { Sandbox, SandboxOptions } from "../testing.ts"
import * as Controls from "./Controls.ts"
import { placed } from "./Promised.ts"

const names: OptionTypes.Names = {
  ...Controls.settings,
  text: `${Controls.settings.text} style host filename`,
  number: `${Controls.settings.number} port`,
  any: `${Controls.settings.any} allowCallbacks`,
  object: "readings"
}

export const start = (options: SandboxOptions): Promise<Sandbox> => {
  const runtime = ManagedRuntime.make(
    Layer.unwrap(
      Effect.map(OptionTypes.check(options, names), () => Sandboxed.layer(options))
    ).pipe(Layer.provideMerge(Functions.references({})))
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
