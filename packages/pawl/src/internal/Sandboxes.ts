/**
 * The service on a port, of `@pawl/sandbox`.
 */
import { InvalidConfig } from "@pawl/http/PawlConfig"
import * as Readings from "@pawl/sandbox/Readings"
import * as Sandboxed from "@pawl/sandbox/Sandbox"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Functions from "./Functions.ts"
import * as OptionTypes from "./OptionTypes.ts"
import type { Sandbox, SandboxOptions } from "../testing.ts"
import * as Controls from "./Controls.ts"
import { placed } from "./Promised.ts"

const names: OptionTypes.Names = {
  ...Controls.settings,
  text: `${Controls.settings.text} host filename`,
  any: `${Controls.settings.any} style port allowCallbacks`,
  object: "readings"
}

const readingNames = { text: Readings.questions.join(" ") }

/** Checks the settings, and refuses a reading that no gateway has. */
const check = Effect.fnUntraced(function* (options: SandboxOptions) {
  yield* Controls.check(options, names)
  const readings: Readings.Readings = options.readings ?? {}
  yield* OptionTypes.check(readings, readingNames)
  for (const setting of Readings.questions) {
    const known = Readings.known(setting)
    if (known.includes(readings[setting] ?? known[0])) continue
    return yield* new InvalidConfig({ setting, advice: `its readings are ${known.join("; ")}` })
  }
})

export const start = (options: SandboxOptions): Promise<Sandbox> => {
  const runtime = ManagedRuntime.make(
    Layer.unwrap(Effect.map(check(options), () => Sandboxed.layer(options))).pipe(
      Layer.provideMerge(Functions.references({}))
    )
  )
  const close = () => runtime.dispose()
  return runtime.runPromise(Effect.context<Sandboxed.Services>()).then(
    (context) => ({
      baseUrl: Context.get(context, Sandboxed.Sandbox).baseUrl,
      merchantKey: "sandbox-key",
      merchantSecret: Redacted.value(Controls.merchantSecret),
      ...Controls.make(context),
      close,
      [Symbol.asyncDispose]: close
    }),
    (error: unknown) => {
      throw placed(error, new Error(""))
    }
  )
}
