/**
 * The program that a server's command starts: the words after `--`.
 */
import * as Argument from "effect/cli/Argument"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import type { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** The words of the program; empty without one. A misspelt subcommand is not run as a program. */
export const argument = Argument.String("program").pipe(
  Argument.withDescription(
    "After --, a program to run once this serves, such as -- node shop.mjs; both end together"
  ),
  Argument.variadic(),
  Argument.filter(
    ({ length }) => length === 0 || process.argv.at(-1 - length) === "--",
    () => "Expected -- before a program, such as -- node shop.mjs; --help lists the subcommands"
  )
)

export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{ readonly reason: string }> {
  override get message() {
    return `The program ${this.reason}`
  }
}

/**
 * Starts the program, and returns the effect that waits for its end; without a program it never
 * ends.
 *
 * The end of the scope ends the program with SIGTERM, and after 5 seconds with SIGKILL.
 */
export const start = (
  [file, ...args]: ReadonlyArray<string>,
  env: Record<string, string | Redacted.Redacted>
): Effect.Effect<
  Effect.Effect<void, ProgramFailed>,
  ProgramFailed,
  ChildProcessSpawner | Scope.Scope
> =>
  file === undefined
    ? Effect.succeed(Effect.never)
    : ChildProcess.make(file, args, {
        env,
        extendEnv: true,
        stdin: "inherit",
        stdout: "inherit",
        stderr: "inherit",
        detached: false,
        forceKillAfter: "5 seconds"
      }).pipe(
        Effect.mapError(() => new ProgramFailed({ reason: `${file} cannot be run: ${remedy}` })),
        Effect.map(({ exitCode }) =>
          exitCode.pipe(
            Effect.orElseSucceed(() => "a signal"),
            Effect.flatMap((code) =>
              code === 0 ? Effect.void : new ProgramFailed({ reason: `${file} ended with ${code}` })
            )
          )
        )
      )

const remedy = "check its name, and that it is installed"
