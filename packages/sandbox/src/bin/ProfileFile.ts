/** The file of a profile: the readings of a service, and the switches by which pawl bears them. */
import * as ProfileFile from "@pawl/http/internal/NodeProfileFile"
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Readings from "../Readings.ts"

/** Error raised when a file cannot be used; `message` names the remedy. */
export class FileFault extends Data.TaggedError("FileFault")<{ readonly message: string }> {}

export const read = Effect.fnUntraced(function* <A>(
  file: string,
  schema: Schema.Codec<A, unknown>,
  what: string
) {
  const text = yield* Effect.mapError(
    OwnFile.read(file),
    ({ message }) => new FileFault({ message: `${message}; give the path of ${what}` })
  )
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text),
    () => new FileFault({ message: `${file} is not ${what}` })
  )
})

/** Reads a profile. Fails for a reading that no gateway can have. */
export const profile = Effect.fnUntraced(function* (file: string) {
  const { readings = {}, switches = {} } = yield* ProfileFile.read(file, "--profile")
  const [unknown] = Readings.unknown(readings)
  if (unknown !== undefined) {
    return yield* new FileFault({
      message: `${file} has a reading that no sandbox can have: ${unknown}`
    })
  }
  return { readings, switches }
})
