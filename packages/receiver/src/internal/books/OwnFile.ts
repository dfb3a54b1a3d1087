/**
 * Files that only their owner may read. Nothing but a regular file is opened: a pipe would hang, and a device would be changed.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"

/** Error raised when a path is no regular file. */
export class NotRegular extends Data.TaggedError("NotRegular")<{ readonly file: string }> {
  override get message() {
    return `${this.file} cannot be used: it is not a regular file`
  }
}

/** Tells whether a file exists, and fails if its path is something else. */
export const exists = Effect.fnUntraced(function* (file: string) {
  const files = yield* FileSystem.FileSystem
  if (!(yield* files.exists(file))) return false
  const { type } = yield* files.stat(file)
  if (type !== "File") return yield* new NotRegular({ file })
  return true
})

/** Writes or appends to a file, which it makes if there is none. */
export const write = Effect.fnUntraced(function* (
  file: string,
  text: string,
  flag: "a" | "w" = "w"
) {
  const files = yield* FileSystem.FileSystem
  if (yield* exists(file)) yield* files.chmod(file, 0o600)
  yield* files.writeFileString(file, text, { flag, mode: 0o600 })
})
