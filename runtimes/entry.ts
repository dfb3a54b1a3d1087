/**
 * The entry of the bundle: runs core's checks and prints a line with the report, URI-encoded, so
 * that a browser can print it in a page.
 */
import { checks } from "../packages/core/test/anywhere.ts"

export interface Report {
  readonly passed: number
  readonly failed: ReadonlyArray<string>
  /** Whether `JSON` has source text access and `rawJSON`. */
  readonly hasSource: boolean
  readonly hasRawJson: boolean
  /**
   * Whether `JSON.parse` reads the key "\n" as the backslash key of an earlier object (a
   * bug of V8 13 to 15).
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

/** The test handler that `workerd test` requires. */
export default { test: (): void => undefined }
