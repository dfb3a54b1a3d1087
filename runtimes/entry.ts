/**
 * What is bundled: runs core's checks where it is loaded and prints one line about them. It is written
 * so that no runtime has to escape it, the one that prints a page included.
 */
import { checks } from "../packages/core/test/anywhere.ts"

export interface Report {
  readonly passed: number
  readonly failed: ReadonlyArray<string>
  /** What core needs of `JSON`. */
  readonly hasSource: boolean
  readonly hasRawJson: boolean
  /**
   * Whether the key "\n" of an object is read as the backslash that an earlier object had in its
   * place: a bug of V8 13 to 15.
   */
  readonly misreadsKeys: boolean
}

const failed = checks.flatMap(({ name, run }) => {
  try {
    run()
    return []
  } catch (error) {
    return [`${name}: ${String(error)}`]
  }
})

const source = JSON.parse(
  "1.0",
  (_key, _value, context?: { readonly source?: string }): unknown => context?.source
)
JSON.parse(String.raw`{"a":1,"\\":2}`)
const read = JSON.parse(String.raw`{"a":1,"\n":2}`) as object

const report: Report = {
  passed: checks.length - failed.length,
  failed,
  hasSource: source === "1.0",
  hasRawJson: "rawJSON" in JSON,
  misreadsKeys: !Object.hasOwn(read, "\n")
}

console.log(`report:${encodeURIComponent(JSON.stringify(report))}`)

/** What `workerd test` asks for. */
export default { test: (): void => undefined }
