/**
 * The changes of a service between two recordings: readings, and shapes of responses and callbacks.
 */
import * as Predicate from "effect/Predicate"
import type { Json } from "effect/Schema"
import { find, genuine, json, type Recording } from "./Recording.ts"
import { rows } from "./Silences.ts"

/** Change whose subject is a question, response or callback. */
export interface Change {
  readonly subject: string
  readonly before: string
  readonly after: string
}

export const changes = (before: Recording, after: Recording): ReadonlyArray<Change> =>
  genuineChanges(genuine(before), genuine(after))

const genuineChanges = (before: Recording, after: Recording): ReadonlyArray<Change> => [
  ...rows.flatMap(({ read, title }) =>
    differing(title, read(before)?.reading, read(after)?.reading)
  ),
  ...namesOf(after.exchanges).flatMap((name) => {
    const [old, now] = [find(before, name), find(after, name)]
    if (old === undefined || now === undefined) return []
    // The fields of a refusal are others anyway.
    return old.status === now.status
      ? fields(`response to ${name}`, shapeOf([old.body]), shapeOf([now.body]))
      : differing(`status of ${name}`, String(old.status), String(now.status))
  }),
  ...namesOf(after.callbacks).flatMap((name) => {
    const bodies = ({ callbacks }: Recording) =>
      callbacks.filter((callback) => callback.name === name).map(({ body }) => body)
    const old = bodies(before)
    return old.length === 0
      ? []
      : fields(`callback of ${name}`, shapeOf(old), shapeOf(bodies(after)))
  })
]

const differing = (
  subject: string,
  before: string | undefined,
  after: string | undefined
): ReadonlyArray<Change> =>
  before === undefined || after === undefined || before === after
    ? []
    : [{ subject, before, after }]

const namesOf = (all: ReadonlyArray<{ readonly name: string }>): ReadonlyArray<string> => [
  ...new Set(all.map(({ name }) => name))
]

type Shape = ReadonlyMap<string, string>

const fields = (subject: string, before: Shape, after: Shape): ReadonlyArray<Change> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((path) =>
    differing(
      `${subject}${path === "" ? "" : `, ${path}`}`,
      before.get(path) ?? "absent",
      after.get(path) ?? "absent"
    )
  )

const shapeOf = (bodies: ReadonlyArray<string>): Shape => {
  const shape = new Map<string, string>()
  const visit = (value: Json | undefined, path: string): void => {
    shape.set(path, value === null ? "null" : Array.isArray(value) ? "list" : typeof value)
    if (!Predicate.isObject(value) || Array.isArray(value)) return
    for (const [name, member] of Object.entries(value)) {
      visit(member as Json, path === "" ? name : `${path}.${name}`)
    }
  }
  for (const body of bodies) visit(json(body), "")
  return shape
}
