/**
 * The file of a profile: the readings of a service, and the switches by which pawl bears them.
 */
import * as OwnFile from "@pawl/webhook/internal/NodeOwnFile"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Readings from "../Readings.ts"

/** Error raised when a file cannot be used; `message` is one sentence that names the remedy. */
export class FileFault extends Data.TaggedError("FileFault")<{ readonly message: string }> {}

/** Reads a file of JSON by a schema. */
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

const Profile = Schema.Struct({ readings: Schema.Record(Schema.String, Schema.String) })

/** Reads the readings of a profile. `unknown` lists those that a gateway cannot have. */
export const readings = (file: string) =>
  Effect.map(
    read(file, Profile, "a profile that the doctor wrote"),
    ({ readings }): { readonly readings: Readings.Readings; readonly unknown: Array<string> } => ({
      readings,
      unknown: Object.entries(readings).flatMap(([question, reading]) => {
        const known = Readings.questions.find((name) => name === question)
        return known !== undefined && Readings.known(known).includes(reading)
          ? []
          : [`${question}: ${reading}`]
      })
    })
  )
