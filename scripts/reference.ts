/**
 * The API reference, made from the doc comments in the order of the source.
 *
 * A signature is copied from the source, not inferred: the part of a function before its body, the
 * definition of a schema, the head of a class.
 */
import * as Oxc from "oxc-parser"

/**
 * A module of a package, whose path is what a user imports. `open` returns the module that a
 * relative path names, whose exports it may export again.
 */
export interface Source {
  readonly specifier: string
  readonly text: string
  readonly open?: (path: string) => Source
}

interface Export {
  readonly name: string
  readonly signature: string
  readonly doc: string
}

export interface Documented {
  readonly specifier: string
  readonly doc: string
  readonly exports: ReadonlyArray<Export>
}

const textOf = ({ value }: Oxc.Comment): string =>
  value
    .replace(/^\*/u, "")
    .split("\n")
    .map((line) => line.replace(/^ *\* ?/u, "").trimEnd())
    .filter((line) => !/^@(?:category|since)\b/u.test(line))
    .join("\n")
    .trim()

const lineLimit = 30

export const read = ({ open, specifier, text }: Source): Documented => {
  const { comments, program } = Oxc.parseSync("module.ts", text)
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"))
  const docOf = (start: number): string | undefined => {
    const doc = docs.findLast(({ end }) => end <= start)
    return doc !== undefined && text.slice(doc.end, start).trim() === "" ? textOf(doc) : undefined
  }
  const [first] = docs
  const exports = program.body
    .filter((each): each is Oxc.ExportNamedDeclaration => each.type === "ExportNamedDeclaration")
    .flatMap(({ declaration, source, specifiers, start }) => {
      if (open !== undefined && source?.value.startsWith(".") === true) {
        const { exports } = read(open(source.value))
        return specifiers.flatMap(({ exported, local }) =>
          exports
            .filter((each) => "name" in local && each.name === local.name)
            .map((each) => ({ ...each, name: "name" in exported ? exported.name : each.name }))
        )
      }
      const doc = docOf(start)
      const declared = declaration === null ? undefined : signatureOf(declaration, text)
      return doc === undefined || declared === undefined ? [] : [{ ...declared, doc }]
    })
  return { specifier, doc: first === undefined ? "" : textOf(first), exports: joined(exports) }
}

/** A schema and its type, or a function and its overloads, are one export. */
const joined = (exports: ReadonlyArray<Export>): ReadonlyArray<Export> =>
  Array.from(
    Map.groupBy(exports, ({ name }) => name),
    ([name, all]) => ({
      name,
      signature: all.map(({ signature }) => signature).join("\n\n"),
      doc: all.map(({ doc }) => doc).join("\n\n")
    })
  )

type Declaration = NonNullable<Oxc.ExportNamedDeclaration["declaration"]>

const signatureOf = (
  declaration: Declaration,
  text: string
): Pick<Export, "name" | "signature"> | undefined => {
  const upTo = (end: number): string => text.slice(declaration.start, end).trimEnd()
  if (declaration.type === "VariableDeclaration") {
    const [variable] = declaration.declarations
    return variable?.id.type === "Identifier"
      ? valueOf(variable.id, variable.init, upTo)
      : undefined
  }
  const isClass = declaration.type === "ClassDeclaration"
  const isFunction = declaration.type === "FunctionDeclaration"
  const body = isClass || isFunction ? declaration.body?.start : undefined
  return "id" in declaration && declaration.id?.type === "Identifier"
    ? { name: declaration.id.name, signature: upTo(body ?? declaration.end) }
    : undefined
}

const valueOf = (
  { name, typeAnnotation }: Oxc.BindingIdentifier,
  init: Oxc.Expression | null,
  upTo: (end: number) => string
): Pick<Export, "name" | "signature"> => {
  if (typeAnnotation) return { name, signature: upTo(typeAnnotation.end) }
  if (init?.type === "ArrowFunctionExpression") {
    return { name, signature: upTo(init.body.start).replace(/\s*=>\s*\(?$/u, "") }
  }
  const generator = init?.type === "CallExpression" ? bodyOf(init.arguments) : undefined
  const whole = upTo(generator ?? init?.end ?? 0)
  return { name, signature: whole.split("\n").length <= lineLimit ? whole : `const ${name}` }
}

const bodyOf = (args: ReadonlyArray<Oxc.Argument>): number | undefined =>
  args.flatMap((each) => (each.type === "FunctionExpression" ? (each.body?.start ?? []) : []))[0]

const firstSentence = (doc: string): string =>
  /^.*?[.!?](?=\s|$)/su.exec(doc)?.[0].replaceAll("\n", " ") ?? doc.split("\n\n")[0] ?? ""

export const page = ({ doc, exports, specifier }: Documented): string => {
  const lines = [`# ${nameOf(specifier)}`, "", `\`${specifier}\``, "", linked(doc)]
  for (const { doc, name, signature } of exports) {
    lines.push("", `## ${name}`, "", "```ts", signature, "```", "", linked(doc))
  }
  return `${lines.join("\n")}\n`
}

export const index = (
  packages: ReadonlyArray<{
    readonly name: string
    readonly description: string
    readonly modules: ReadonlyArray<Documented>
  }>
): string =>
  [
    "# API reference",
    ...packages.flatMap(({ description, modules, name }) => [
      "",
      `## ${name}`,
      "",
      description,
      "",
      ...modules.map(
        ({ doc, specifier }) =>
          `- [${nameOf(specifier)}](${pathOf(specifier)}): ${firstSentence(doc)}`
      )
    ]),
    ""
  ].join("\n")

export const pathOf = (specifier: string): string => `${specifier.replace("@pawl/", "")}.md`

const nameOf = (specifier: string): string => specifier.replace(/^@pawl\/[a-z]+\//u, "")

/**
 * Writes decisions as links from a page of a module, which is at least two folders below `docs`.
 */
const linked = (doc: string): string =>
  doc.replaceAll(
    /(?<![\w/(])docs\/decisions\/(\d{4})[\w-]*\.md/gu,
    (path, number) => `[decision ${number}](../../${path.replace(/^docs\//u, "")})`
  )
