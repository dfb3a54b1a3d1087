/** The metrics of the packages, from the tables of their `Metrics` modules. */
import * as Repository from "./repository.ts"

const modules = ["packages/http/src/internal/wire/Metrics.ts", "packages/webhook/src/Metrics.ts"]

/** The name is the last code in a row that is a name of Prometheus. */
export const read = (text: string) =>
  Array.from(
    text.matchAll(/^ \* \| .*`([a-z]+_[a-z_]+)(?:\{([a-z_, ]+)\})?` \| (.*)$/gmu),
    ([, name = "", labels, rest = ""]) => ({
      name,
      labels: (labels ?? rest.split(" | ")[1]?.replace(/ \|$/u, ""))?.split(/, */u) ?? [],
      isHistogram: rest.startsWith("histogram")
    })
  )

export const metrics = modules.flatMap((path) => read(Repository.read(path)))

export const series = new Set(
  metrics.flatMap(({ isHistogram, name }) =>
    isHistogram ? ["_bucket", "_sum", "_count"].map((suffix) => `${name}${suffix}`) : [name]
  )
)

export const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.match(/\b(?:pawl_(?:http|webhook)_[a-z_]+[a-z]|http_client_[a-z_]+[a-z])\b/gu))
]
