/**
 * The functions of a merchant without effects, as effects.
 */
import * as Handler from "@pawl/core/Handler"
import * as Profile from "@pawl/core/Profile"
import type { RequestInput, RequestKind } from "@pawl/core/RequestSender"
import * as ProfileFile from "@pawl/http/internal/NodeProfileFile"
import * as Client from "@pawl/http/Pawl"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Log from "./Log.ts"
import * as Options from "./Options.ts"
import * as Parts from "./Parts.ts"

export type Outside = <A, E>(call: Effect.Effect<A, E>) => Effect.Effect<A, E>

export type InputOf = (
  kind: RequestKind,
  value: unknown
) => Effect.Effect<RequestInput<RequestKind>, unknown>

/** Layer of everything that `open` opens, over a client. */
export const layer = <E>(
  client: Layer.Layer<Client.Services, E>,
  read: Options.Read,
  { logger, onChange, profile, rebuild, ...settings }: Options.Options,
  inputOf: InputOf,
  fake?: Outside
) => {
  const outside: Outside = fake ?? ((effect) => effect)
  return Parts.layer(client, read, {
    handler: Handler.layer((transition) =>
      outside(Effect.asVoid(promised(() => onChange(transition))))
    ),
    rebuild:
      rebuild &&
      ((requestId, kind) =>
        Effect.flatMap(outside(promised(() => rebuild(requestId, kind))), (input) =>
          inputOf(kind, { ...input, requestId })
        )),
    profile: switchesOf(profile),
    provider: Options.provider({ ...settings, profile }, fake !== undefined)
  }).pipe(
    Layer.merge(Layer.effectDiscard(fake === undefined ? Parts.warning(read) : Effect.void)),
    Layer.provideMerge(Log.layer(logger))
  )
}

export const references = ({ logger, profile }: Options.LocalOptions) =>
  Layer.merge(
    Layer.unwrap(
      Effect.map(
        typeof profile === "string"
          ? Effect.map(ProfileFile.read(profile, "profile"), ({ switches = {} }) => switches)
          : Effect.succeed(profile ?? {}),
        Profile.layer
      )
    ),
    Log.layer(logger)
  )

/** A text is the path of a file, which is a setting. */
const switchesOf = (profile: Options.Options["profile"]) =>
  typeof profile === "string" ? undefined : profile

export const client = ({ dispatcher, headers, hooks, profile }: Options.Options) =>
  Client.layerConfig(
    Config.succeed({
      headers,
      hooks: hooks && { onRequest: hook(hooks.onRequest), onResponse: hook(hooks.onResponse) }
    }),
    { dispatcher, profile: switchesOf(profile) }
  )

const hook = <Event>(call: ((event: Event) => unknown) | undefined) =>
  call && ((event: Event) => Effect.asVoid(promised(() => call(event))))

const promised = <A>(call: () => A | PromiseLike<A>): Effect.Effect<A, unknown> =>
  // @effect-diagnostics-next-line unknownInEffectCatch:off
  Effect.tryPromise({ try: () => Promise.resolve().then(call), catch: (error) => error })
