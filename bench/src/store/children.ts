/** Child processes that run a program of this folder on the packages of a checkout. */
import * as Effect from "effect/Effect"
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"

type Operations = Readonly<Record<string, (input: never) => Promise<unknown>>>

type Answer = { readonly value: unknown } | { readonly error: string }

export const answer = (operations: Operations): void => {
  process.on("message", async ([name, input]: readonly [string, never]) => {
    const result: Answer = await operations[name]!(input).then(
      (value) => ({ value }),
      (error: Error) => ({ error: String(error.stack) })
    )
    process.send?.(result)
  })
  process.on("disconnect", () => process.exit())
}

export type Call<All extends Operations> = <Name extends keyof All & string>(
  name: Name,
  input: Parameters<All[Name]>[0]
) => Promise<Awaited<ReturnType<All[Name]>>>

/** In milliseconds. */
const callTimeout = 120_000

const call = (child: ChildProcess, name: string, input: unknown) =>
  new Promise<unknown>((resolve, reject) => {
    const fail = (why: unknown) => reject(new Error(`${name}: ${why}`))
    const ended = (code: number | null) => {
      clearTimeout(timer)
      fail(`the process ended with ${code}`)
    }
    const timer = setTimeout(() => fail(`took longer than ${callTimeout} ms`), callTimeout)
    const take = (message: unknown) => {
      clearTimeout(timer)
      child.off("exit", ended)
      const answer = message as Answer
      if ("error" in answer) fail(answer.error)
      else resolve(answer.value)
    }
    child.once("exit", ended).once("message", take).send([name, input])
  })

export const start = <All extends Operations>(program: string, tree: string, options: unknown) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(new URL(program, import.meta.url), [JSON.stringify(options)], {
        execArgv: [
          "--expose-gc",
          "--no-flush-bytecode",
          "--import",
          new URL("tree.ts", import.meta.url).href
        ],
        env: { ...process.env, PAWL_TREE: tree },
        stdio: ["ignore", "ignore", "inherit", "ipc"]
      })
    ),
    (child) =>
      Effect.promise(async () => {
        if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit")
      })
  ).pipe(Effect.map((child) => ((name, input) => call(child, name, input)) as Call<All>))
