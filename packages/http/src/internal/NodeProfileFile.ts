import * as Json from "@pawl/core/internal/Json"
import * as Profile from "@pawl/core/Profile"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { readFileSync, statSync } from "node:fs"
import { InvalidConfig } from "../PawlConfig.ts"
import * as ErrorResponse from "./wire/ErrorResponse.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Profile.File), {
  onExcessProperty: "error"
})

/** Fails with the setting that names the profile and the wrong field. */
export const read = Effect.fnUntraced(function* (
  file: string,
  setting = "PAWL_PROFILE"
): Effect.fn.Return<Profile.File, InvalidConfig> {
  const refuse = (advice: string) => new InvalidConfig({ setting, advice })
  const text = yield* Effect.try({
    // A pipe would hang.
    try: () => (statSync(file).isFile() ? new TextDecoder().decode(readFileSync(file)) : ""),
    catch: (cause) =>
      refuse(
        (cause as NodeJS.ErrnoException).code === "EACCES"
          ? "this user may not read the file: allow it, or give another file"
          : "give the path of a profile, such as the profile.json of doctor"
      )
  })
  return yield* Effect.mapError(decode(text), (error) => {
    const [path = []] = ErrorResponse.pathsOf(error)
    const isJson = Result.isSuccess(Json.fromOwnText(text))
    return refuse(
      path.length === 0
        ? `the file is no profile${isJson ? "" : `, because it is no JSON at ${Json.placeOf(text)}`}: give JSON such as the profile.json of doctor`
        : `the profile has a wrong ${path.join(".")}; @pawl/core/Profile has the switches and their values`
    )
  })
})

/** The switches of the file that `PAWL_PROFILE` names. */
export const switches: Effect.Effect<Profile.Options, InvalidConfig | Config.ConfigError> =
  Effect.flatMap(Config.String("PAWL_PROFILE").pipe(Config.withDefault("")), (file) =>
    file === "" ? Effect.succeed({}) : Effect.map(read(file), ({ switches = {} }) => switches)
  )
