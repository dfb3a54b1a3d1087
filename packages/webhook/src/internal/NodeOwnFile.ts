/** Files that only their owner may read. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { dirname } from "node:path"

export class FileUnusable extends Data.TaggedError("FileUnusable")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file} cannot be used: ${this.reason}`
  }
}

export const mode = 0o600

const reasons: Readonly<Record<string, string>> = {
  EACCES: "this user may not open it",
  ENOENT: "the file does not exist",
  ERR_ENCODING_INVALID_ENCODED_DATA: "it is not UTF-8: save it as UTF-8",
  EPERM: "it belongs to another user"
}

/** Throws if the path is something else than a file: a pipe would hang. */
export const isThere = (file: string): boolean => {
  const status = statSync(file, { throwIfNoEntry: false })
  if (status === undefined) return false
  if (status.isDirectory()) throw new Error("it is a directory")
  if (!status.isFile()) throw new Error("it is not a regular file")
  return true
}

export const close = (file: string): void => {
  if (isThere(file)) chmodSync(file, mode)
}

const attempt = <A>(file: string, call: () => A): Effect.Effect<A, FileUnusable> =>
  Effect.try({
    try: call,
    catch: (cause) => {
      const { code, message } = cause as NodeJS.ErrnoException
      return new FileUnusable({ file, reason: reasons[code ?? ""] ?? message })
    }
  })

export const check = (file: string): Effect.Effect<boolean, FileUnusable> =>
  attempt(file, () => isThere(file))

/** Reads UTF-8 without its byte order mark, which some editors write. */
export const read = (file: string): Effect.Effect<string, FileUnusable> =>
  attempt(file, () => {
    isThere(file)
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file))
  })

export const readOrEmpty = (file: string): Effect.Effect<string, FileUnusable> =>
  attempt(file, () => (isThere(file) ? readFileSync(file, "utf8") : ""))

export const append = (file: string, text: string): Effect.Effect<void, FileUnusable> =>
  attempt(file, () => {
    close(file)
    writeFileSync(file, text, { flag: "a", mode })
  })

/** Makes the directory that an option names, and those above it. */
export const makeDirectory = (
  option: string,
  directory: string
): Effect.Effect<void, FileUnusable> =>
  Effect.try({
    try: () => make(directory),
    catch: () =>
      new FileUnusable({
        file: `${option} ${directory}`,
        reason: "give a directory that exists or can be made"
      })
  })

/** A recursive call of Node never returns in `/proc`. */
const make = (directory: string): void => {
  if (isDirectory(directory)) return
  make(dirname(directory))
  const made = Result.try(() => mkdirSync(directory))
  // Another process may have made it, and `a/..` is there once `a` is.
  if (Result.isFailure(made) && !isDirectory(directory)) throw made.failure
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Replaces a file once the whole text is written, so that a full disk keeps the old one. */
export const write = (file: string, text: string): Effect.Effect<void, FileUnusable> =>
  attempt(file, () => {
    const target = isThere(file) ? realpathSync(file) : file
    const written = `${target}.${process.pid}.new`
    // An existing file may be another user's, or a link.
    rmSync(written, { force: true })
    try {
      writeFileSync(written, text, { flag: "wx", mode })
      renameSync(written, target)
    } finally {
      rmSync(written, { force: true })
    }
  })
