/**
 * Small plots of the last hour: a bar for each minute, the newest at the right.
 */

const minutes = 60
const height = 24

/**
 * The values of the minutes of an hour, the oldest first, and the part of each that went wrong. `label` tells a screen reader
 * and a pointer what the plot shows.
 *
 * @typedef {{ readonly all: ReadonlyArray<number>, readonly bad: ReadonlyArray<number>, readonly label: string }} Plot
 */

/**
 * Returns the values of the 60 minutes that end at a time.
 *
 * @template Sample
 * @param {number} now
 * @param {ReadonlyArray<Sample & { readonly at: string }>} samples by the beginning of their minute
 * @param {(sample: Sample) => number} valueOf
 */
export const lastHour = (now, samples, valueOf) => {
  const values = Array.from({ length: minutes }, () => 0)
  for (const sample of samples) {
    const ago = Math.floor(now / 60_000) - Math.floor(Date.parse(sample.at) / 60_000)
    if (ago >= 0 && ago < minutes) {
      const at = minutes - 1 - ago
      values[at] = (values[at] ?? 0) + valueOf(sample)
    }
  }
  return values
}

/**
 * Makes the picture of a plot.
 *
 * @param {Plot} plot
 */
export const draw = ({ all, bad, label }) => {
  const most = Math.max(1, ...all)
  const picture = svg("svg", {
    class: "plot",
    viewBox: `0 0 ${minutes} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label
  })
  const title = svg("title", {})
  title.textContent = label
  picture.append(
    title,
    svg("path", { class: "axis", d: `M0 ${height}H${minutes}` }),
    bars("all", all, most),
    bars("bad", bad, most)
  )
  return picture
}

/**
 * @param {string} name
 * @param {ReadonlyArray<number>} values
 * @param {number} most
 */
const bars = (name, values, most) =>
  svg("path", {
    class: name,
    d: values
      .map((value, at) => {
        // A single event among thousands is seen too.
        const tall = value === 0 ? 0 : Math.max(2, (value / most) * height)
        return tall === 0 ? "" : `M${at} ${height}v-${tall}h.8v${tall}z`
      })
      .join("")
  })

/**
 * @param {string} name
 * @param {Readonly<Record<string, string>>} attributes
 */
const svg = (name, attributes) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}
