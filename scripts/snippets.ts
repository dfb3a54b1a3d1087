/**
 * Turns every ```ts block of a doc comment or a page into a module.
 *
 * `expression // => value` is an assertion: the module compares the two when it is imported. One
 * that cannot be checked (on a line that is no expression, or in a program) is an error.
 *
 * A block that imports NodeRuntime is a whole program: it is only type-checked, and `runs` is
 * false.
 */
import { parseSync } from "oxc-parser"

interface Snippet {
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly code: string
}

export const snippets = (path: string, text: string, language = "ts"): ReadonlyArray<Snippet> => {
  const opening = new RegExp(`^ *\`\`\`${language}\\b`, "u")
  const margin = path.endsWith(".ts") ? /^ *\* ?/u : /^/u
  const found: Array<Snippet> = []
  let block: { readonly line: number; readonly code: Array<string> } | undefined
  for (const [at, each] of text.split("\n").entries()) {
    const line = margin.test(each) ? each.replace(margin, "") : undefined
    if (block === undefined) {
      if (line !== undefined && opening.test(line)) block = { line: at + 2, code: [] }
    } else if (line === undefined) {
      break
    } else if (/^ *``` *$/u.test(line)) {
      found.push({ path, line: block.line, code: block.code.join("\n") })
      block = undefined
    } else {
      block.code.push(line)
    }
  }
  if (block !== undefined) throw new Error(`${path}:${block.line} begins a block that does not end`)
  return found
}

/** The code of the module is on the same lines as in the documentation. */
export const toModule = ({ code, line, path }: Snippet) => {
  const { comments, errors, module, program } = parseSync("snippet.ts", code)
  const fail = (at: number, reason: string): never => {
    throw new Error(`${path}:${line + code.slice(0, at).split("\n").length - 1} ${reason}`)
  }
  const [error] = errors
  if (error !== undefined) fail(error.labels[0]?.start ?? 0, error.message)
  const runs = !module.staticImports.some(({ moduleRequest }) =>
    moduleRequest.value.endsWith("/NodeRuntime")
  )

  let text = code
  for (const { end, start, value } of comments.toReversed()) {
    const [, expected] = /^ *=>(.*)$/su.exec(value) ?? []
    if (expected === undefined) continue
    if (!runs) fail(start, "asserts a value in a program, which is not run")
    const statement = program.body.find(
      (each) => each.end <= start && /^ *$/u.test(code.slice(each.end, start))
    )
    if (statement?.type !== "ExpressionStatement") {
      return fail(start, "asserts a value on a line that is no expression")
    }
    const actual = code.slice(statement.expression.start, statement.expression.end)
    const assertion = `__expect(${actual}).toStrictEqual(${expected.trim()})`
    text = text.slice(0, statement.start) + assertion + text.slice(end)
  }
  // The line of the fence is free for this import.
  const above = `import { expect as __expect } from "vitest"${"\n".repeat(line - 1)}`
  return { text: `${above}${text}\n`, runs }
}
